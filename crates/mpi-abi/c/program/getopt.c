/*
 * getopt, getopt_long and getopt_long_only with their variables, of which each copy of a program has its own. They behave as glibc's: arguments
 * are reordered so that those without options come last, unless the list of options begins with + or -, or POSIXLY_CORRECT is set.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* The rest of an argument with several one-letter options. */
static const char *rest;

static int is_option(const char *text)
{
    return text[0] == '-' && text[1];
}

/* Reads the option `name`, behind one or two dashes. Returns -2 if there is none, and the text may be one-letter options. */
static int long_option(int count, char **arguments, const char *letters, const char *name, const char *dashes,
                       const struct option *options, int *index, int may_be_letters)
{
    size_t length = strcspn(name, "=");
    const struct option *found = NULL;
    int matches = 0, is_exact = 0;
    for (const struct option *option = options; option->name && !is_exact; option++) {
        if (strncmp(option->name, name, length)) {
            continue;
        }
        is_exact = strlen(option->name) == length;
        int is_same = found && found->has_arg == option->has_arg && found->flag == option->flag && found->val == option->val;
        if (is_exact || !found) {
            matches = 1;
            found = option;
        } else if (!is_same) {
            matches++;
        }
    }
    if (!found && may_be_letters) {
        return -2;
    }
    int is_quiet = !opterr || letters[0] == ':';
    rest = NULL;
    optind++;
    if (!found || matches > 1) {
        if (!is_quiet) {
            fprintf(stderr, found ? "%s: option '%s%.*s' is ambiguous\n" : "%s: unrecognized option '%s%.*s'\n", arguments[0],
                    dashes, (int)length, name);
        }
        optopt = 0;
        return '?';
    }
    if (name[length]) {
        if (found->has_arg == no_argument) {
            if (!is_quiet) {
                fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", arguments[0], dashes, found->name);
            }
            optopt = found->val;
            return '?';
        }
        optarg = (char *)name + length + 1;
    } else if (found->has_arg == required_argument) {
        if (optind >= count) {
            if (!is_quiet) {
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", arguments[0], dashes, found->name);
            }
            optopt = found->val;
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = arguments[optind++];
    }
    if (index) {
        *index = (int)(found - options);
    }
    if (found->flag) {
        *found->flag = found->val;
        return 0;
    }
    return found->val;
}

/* Reads the option at optind. */
static int read_option(int count, char **arguments, const char *letters, const struct option *options, int *index,
                       int is_long_only)
{
    if (!rest) {
        const char *argument = arguments[optind];
        if (options && argument[1] == '-') {
            return long_option(count, arguments, letters, argument + 2, "--", options, index, 0);
        }
        if (options && is_long_only) {
            int may_be_letters = strchr(letters, argument[1]) != NULL;
            if (argument[2] || !may_be_letters) {
                int result = long_option(count, arguments, letters, argument + 1, "-", options, index, may_be_letters);
                if (result != -2) {
                    return result;
                }
            }
        }
        rest = argument + 1;
    }
    char letter = *rest++;
    const char *found = letter == ':' || letter == ';' ? NULL : strchr(letters, letter);
    int is_last = !*rest;
    if (is_last) {
        optind++;
    }
    if (!found) {
        rest = is_last ? NULL : rest;
        if (opterr && letters[0] != ':') {
            fprintf(stderr, "%s: invalid option -- '%c'\n", arguments[0], letter);
        }
        optopt = letter;
        return '?';
    }
    int is_long = options && found[0] == 'W' && found[1] == ';';
    if (is_long) {
        const char *name = !is_last ? rest : optind < count ? arguments[optind] : NULL;
        if (name) {
            rest = NULL;
            return long_option(count, arguments, letters, name, "-W ", options, index, 0);
        }
    }
    if (found[1] != ':' && !is_long) {
        rest = is_last ? NULL : rest;
        return letter;
    }
    if (!is_last) {
        optarg = (char *)rest;
        optind++;
    } else if (is_long || found[2] != ':') {
        if (optind >= count) {
            if (opterr && letters[0] != ':') {
                fprintf(stderr, "%s: option requires an argument -- '%c'\n", arguments[0], letter);
            }
            optopt = letter;
            rest = NULL;
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = arguments[optind++];
    }
    rest = NULL;
    return letter;
}

/* Reads the next option, and moves it before the arguments that were passed over to find it. */
static int next(int count, char **arguments, const char *letters, const struct option *options, int *index, int is_long_only)
{
    optarg = NULL;
    if (optind == 0) {
        optind = 1;
        rest = NULL;
    }
    int is_in_order = letters[0] == '+' || letters[0] == '-' || getenv("POSIXLY_CORRECT");
    int begin = optind, at = optind;
    while (!is_in_order && at < count && arguments[at] && !is_option(arguments[at])) {
        at++;
    }
    if (at >= count || !arguments[at]) {
        return -1;
    }
    int is_listed = letters[0] == '-';
    if (!is_option(arguments[at])) {
        if (is_listed) {
            optarg = arguments[optind++];
        }
        return is_listed ? 1 : -1;
    }
    optind = at;
    int result = -1;
    if (!rest && !strcmp(arguments[at], "--")) {
        optind++;
    } else {
        letters += letters[0] == '+' || letters[0] == '-';
        result = read_option(count, arguments, letters, options, index, is_long_only);
    }
    int length = optind - at;
    for (int moved = 0; moved < length && begin < at; moved++) {
        char *option = arguments[at + moved];
        memmove(&arguments[begin + moved + 1], &arguments[begin + moved], (at - begin) * sizeof *arguments);
        arguments[begin + moved] = option;
    }
    optind = begin + length;
    return result;
}

int getopt(int count, char *const *arguments, const char *letters)
{
    return next(count, (char **)arguments, letters, NULL, NULL, 0);
}

int getopt_long(int count, char *const *arguments, const char *letters, const struct option *options, int *index)
{
    return next(count, (char **)arguments, letters, options, index, 0);
}

int getopt_long_only(int count, char *const *arguments, const char *letters, const struct option *options, int *index)
{
    return next(count, (char **)arguments, letters, options, index, 1);
}
