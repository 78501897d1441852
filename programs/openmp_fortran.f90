! flags: -fopenmp -foffload-options=-lgfortran -foffload-options=-lm
! devices: gfx906
! also: gfx90a gfx942 gfx1030 gfx1100
! tools: instr-count,opcode-histogram; GCC's runtime library has 3,500 blocks, which all tools together take minutes for
! OpenMP offload by GCC's Fortran: a loop, and a sum.
program main
    implicit none
    integer, parameter :: n = 2000
    real(8) :: a(n), b(n), total, expected
    integer :: i
    do i = 1, n
        a(i) = i
        b(i) = 2 * i
    end do
    total = 0
    !$omp target teams distribute parallel do map(to: a) map(tofrom: b)
    do i = 1, n
        b(i) = b(i) + 3 * a(i)
    end do
    !$omp target teams distribute parallel do map(to: b) map(tofrom: total) reduction(+: total)
    do i = 1, n
        total = total + b(i)
    end do
    expected = 5d0 * n * (n + 1) / 2
    if (total /= expected) then
        print *, 'the sum is ', total, ', not ', expected
        stop 1
    end if
end program
