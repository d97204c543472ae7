/* Kernels for `multicomputer calibrate --compute`: prints the name of each and the time that it took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4096, SIDE = 200, ORDER = 128, NONZEROS = 9, ITEMS = 1 << 16 };

static double x[LENGTH], y[LENGTH], z[LENGTH];
static double grid[2][SIDE][SIDE];
static double left[ORDER][ORDER], right[ORDER][ORDER], product[ORDER][ORDER];
static double values[LENGTH][NONZEROS];
static int columns[LENGTH][NONZEROS];
static int items[ITEMS], heap[ITEMS];

/* The result of a kernel, so that compilers leave nothing out. */
static volatile double result;

static unsigned int random_number(void)
{
    static unsigned int state = 1;
    return (state = state * 1103515245 + 12345) >> 8;
}

static void triad(void)
{
    for (int turn = 0; turn < 2000; turn++) {
        for (int i = 0; i < LENGTH; i++) {
            x[i] = y[i] + 0.5 * z[i];
        }
        result = x[turn];
    }
}

static void stencil(void)
{
    for (int turn = 0; turn < 100; turn++) {
        double(*from)[SIDE] = grid[turn % 2], (*to)[SIDE] = grid[(turn + 1) % 2];
        for (int i = 1; i < SIDE - 1; i++) {
            for (int j = 1; j < SIDE - 1; j++) {
                to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
            }
        }
    }
    result = grid[0][SIDE / 2][SIDE / 2];
}

static void matrix(void)
{
    for (int i = 0; i < ORDER; i++) {
        for (int j = 0; j < ORDER; j++) {
            double sum = 0;
            for (int k = 0; k < ORDER; k++) {
                sum += left[i][k] * right[k][j];
            }
            product[i][j] = sum;
        }
    }
    result = product[1][2];
}

static void sparse(void)
{
    for (int turn = 0; turn < 100; turn++) {
        for (int row = 0; row < LENGTH; row++) {
            double sum = 0;
            for (int at = 0; at < NONZEROS; at++) {
                sum += values[row][at] * y[columns[row][at]];
            }
            z[row] = sum;
        }
    }
    result = z[1];
}

static void sort(void)
{
    for (int gap = ITEMS / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < ITEMS; i++) {
            int item = items[i], at = i;
            for (; at >= gap && items[at - gap] > item; at -= gap) {
                items[at] = items[at - gap];
            }
            items[at] = item;
        }
    }
    result = items[ITEMS / 2];
}

/* A queue of priorities. */
static void queue(void)
{
    int length = 0;
    for (int turn = 0; turn < ITEMS; turn++) {
        int at = length++, item = random_number();
        for (; at > 0 && heap[(at - 1) / 2] > item; at = (at - 1) / 2) {
            heap[at] = heap[(at - 1) / 2];
        }
        heap[at] = item;
    }
    double sum = 0;
    while (length > 0) {
        int item = heap[--length], at = 0;
        sum += heap[0];
        for (int below; (below = 2 * at + 1) < length; at = below) {
            below += below + 1 < length && heap[below + 1] < heap[below];
            if (heap[below] >= item) {
                break;
            }
            heap[at] = heap[below];
        }
        heap[at] = item;
    }
    result = sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kernels[] = {{"triad", triad}, {"stencil", stencil}, {"matrix", matrix},
                   {"sparse", sparse}, {"sort", sort}, {"queue", queue}};
    MPI_Init(&argc, &argv);
    for (int row = 0; row < LENGTH; row++) {
        x[row] = y[row] = z[row] = row;
        for (int at = 0; at < NONZEROS; at++) {
            values[row][at] = at;
            columns[row][at] = random_number() % LENGTH;
        }
    }
    for (int i = 0; i < ORDER; i++) {
        for (int j = 0; j < ORDER; j++) {
            left[i][j] = right[i][j] = i - j;
        }
    }
    for (int i = 0; i < ITEMS; i++) {
        items[i] = random_number();
        heap[i] = i;
    }
    for (size_t kernel = 0; kernel < sizeof kernels / sizeof *kernels; kernel++) {
        double begin = MPI_Wtime();
        kernels[kernel].run();
        printf("%s %.9f\n", kernels[kernel].name, MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return 0;
}
