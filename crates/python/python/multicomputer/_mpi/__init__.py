"""The parts of ``multicomputer.MPI``, one idea a file."""
