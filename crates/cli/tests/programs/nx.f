      PROGRAM SUMS
      INCLUDE 'fnx.h'
      INTEGER ME, N(2), WORK(2), MID, FROM
      DOUBLE PRECISION X(3), Y(3)
      ME = MYNODE()
      N(1) = ME
      N(2) = 1
      CALL GISUM(N, 2, WORK)
      X(1) = ME
      MID = IRECV(5, FROM, 4)
      CALL CSEND(5, ME, 4, MOD(ME + 1, NUMNODES()), 0)
      CALL MSGWAIT(MID)
      CALL GDHIGH(X, 1, Y)
      IF (ME .EQ. 0) PRINT '(5I4, F6.1, L2)', N, FROM, INFOCOUNT(),
     &    INFONODE(), X(1), DCLOCK() .GT. 0
      END
