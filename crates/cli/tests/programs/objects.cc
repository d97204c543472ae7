// Static objects, templates, inline variables, exceptions, streams and threads are the rank's own.
#include <iomanip>
#include <iostream>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <thread>

inline int counter = 0;
template <class T> struct Of {
    static int count;
};
template <class T> int Of<T>::count = 0;

struct Object {
    int rank = -1;
    ~Object() { std::cout << "destructor " << rank << "\n"; }
} object;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    object.rank = rank;
    counter += rank;
    Of<int>::count += rank;
    std::cout << std::setprecision(rank + 2);
    MPI_Barrier(MPI_COMM_WORLD);
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &error) {
        std::cout << error.what() << ' ' << counter << ' ' << Of<int>::count << ' ' << 3.14159265 << std::endl;
    }
    std::thread([rank] { std::cout << "thread of " << rank << std::endl; }).join();
    std::string line;
    while (std::getline(std::cin, line)) {
        std::cout << "read " << line << std::endl;
    }
    if (argc > 1 && rank == 1) {
        throw std::runtime_error("uncaught");
    }
    MPI_Finalize();
}
