/* A program for NX: what it does is its first argument. */
#include <nx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        fprintf(stderr, "node %ld, line %d: %s\n", mynode(), __LINE__, #condition);                                     \
        exit(9);                                                                                                       \
    }

static long me, nodes;

/* nx.rs has the same program in Rust. */
static void twin(void)
{
    static double x[1000], y[1000];
    double sums[3] = {me, 1.5, -me}, work[3], all[64];
    long next = (me + 1) % nodes, lengths[64], mid, count, node;
    csend(10, x, 800, next, 0);
    crecv(10, y, sizeof y);
    CHECK(infocount() == 800 && infonode() == (me + nodes - 1) % nodes && infotype() == 10);
    mid = irecv(11, y, sizeof y);
    count = isend(11, x, sizeof x, next, 0);
    msgwait(mid);
    msgwait(count);
    if (me == 3) {
        csend(12, x, 4096, -1, 0);
    } else {
        crecvx(12, y, sizeof y, 3, -1, msginfo);
        CHECK(infonode() == 3 && infocount() == 4096);
    }
    gdsum(sums, 3, work);
    CHECK(sums[1] == 1.5 * nodes);
    for (node = 0; node < nodes; node++) {
        lengths[node] = sizeof(double) * (node % 3);
    }
    gcolx(sums, lengths, all);
    gsync();
    count = csendrecv(13, x, 80, next, 0, 13, y, sizeof y);
    CHECK(count == 80);
    if (me == 1) {
        static const char text[24] = "to some";
        long list[2] = {0, 2};
        gsendx(14, text, sizeof text, list, 2);
    } else if (me == 0 || me == 2) {
        cprobe(14);
        CHECK(infocount() == 24);
        crecv(14, y, sizeof y);
        CHECK(!strcmp((char *)y, "to some"));
    }
}

static long largest(long *x, long *work)
{
    x[0] = work[0] > x[0] ? work[0] : x[0];
    return 0;
}

static void global(void)
{
    long work[4], x[2] = {me, 1}, count = 0;
    int small[2] = {(int)me, me != 2}, room[2];
    char letter[3] = {'a' + (char)me, 0, 0}, letters[64] = {0};
    float f[1] = {2};
    gisum(x, 2, work);
    CHECK(x[0] == nodes * (nodes - 1) / 2 && x[1] == nodes);
    gihigh(small, 1, room);
    CHECK(small[0] == nodes - 1);
    gland(small + 1, 1, room);
    CHECK(small[1] == 0);
    gsprod(f, 1, (float *)work);
    CHECK(f[0] == 1 << nodes);
    x[0] = 1 << me;
    gior(x, 1, work);
    CHECK(x[0] == (1 << nodes) - 1);
    x[0] = 100 - me;
    gopf(x, sizeof x[0], work, largest);
    CHECK(x[0] == 100);
    gcol(letter, me == 1 ? 3 : 1, letters, sizeof letters, &count);
    CHECK(count == nodes + 2 && !memcmp(letters, "ab\0\0cd", 6));
}

/* Calls that return errors. */
static void errors(void)
{
    char buf[8] = "letters";
    CHECK(_csend(1, buf, 8, 77, 0) == -1 && errno == EQNODE);
    if (me == 0) {
        nx_perror("csend");
    }
    CHECK(_crecv(1000000000, buf, 8) == -1 && errno == EQTYPE);
    CHECK(_msgdone(5) == -1 && errno == EQMID);
    CHECK(_csend(1, buf, -8, 0, 0) == -1 && errno == EQLEN);
    CHECK(_csend(1, 0, 8, 0, 0) == -1 && errno == EQPBUF);
    CHECK(_csend(3, buf, 8, me, 0) == 0 && _crecv(3, buf, 4) == -1 && errno == EQMSGLONG);
}

static long handled;
static char handler_room[4];

static void on_message(long type, long count, long node, long ptype)
{
    CHECK(type == 5 && count == 4 && ptype == 0 && !memcmp(handler_room, "mail", 4));
    if (++handled < nodes - 1) {
        hrecv(5, handler_room, sizeof handler_room, on_message);
    }
    csend(6, &node, sizeof node, node, 0);
}

/* Node 0 answers in a handler while it waits for something else; the others poll. */
static void handlers(void)
{
    long node = -1, mid;
    if (me == 0) {
        hrecv(5, handler_room, sizeof handler_room, on_message);
        gsync();
        CHECK(handled == nodes - 1);
        return;
    }
    mid = irecv(6, &node, sizeof node);
    csend(5, "mail", 4, 0, 0);
    while (!msgdone(mid)) {
        flick();
    }
    CHECK(node == me);
    gsync();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "twin";
    char buf[16] = "";
    me = mynode();
    nodes = numnodes();
    if (!strcmp(what, "twin")) {
        twin();
    } else if (!strcmp(what, "rest")) {
        global();
        errors();
        handlers();
        CHECK(gray(5) == 7 && ginv(7) == 5 && myptype() == 0);
        if (me == 0) {
            printf("%ld nodes, %.6f s\n", nodes, dclock());
        }
    } else if (!strcmp(what, "deadlock")) {
        crecv(7 + me, buf, sizeof buf);
    } else if (!strcmp(what, "error")) {
        csend(7, buf, sizeof buf, nodes, 0);
    } else if (!strcmp(what, "status")) {
        return me == 2 ? 3 : 0;
    }
    return 0;
}
