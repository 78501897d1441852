"""`@pytest.mark.gpu_emulated`, in sessions of its own."""

TESTS = """
import ctypes, os, pytest

def devices():
    hip, count = ctypes.CDLL("libamdhip64.so.5"), ctypes.c_int()
    return count.value if hip.hipGetDeviceCount(ctypes.byref(count)) == 0 else None

@pytest.mark.gpu_emulated(device="gfx90a")
@pytest.mark.parametrize("wanted", [1, 2])
def test_devices(wanted):
    assert devices() == wanted

@pytest.mark.gpu_emulated
def test_skipped():
    pytest.skip("not today")

@pytest.mark.gpu_emulated
def test_dies():
    os._exit(5)

def test_ordinary():
    assert "LUTHIER_PYTEST_REPORTS" not in os.environ
"""


def test_marked_tests_see_the_device(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=2, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2", "*the child ended with status 5*", "*not today*"], consecutive=False)


def test_the_reason_where_the_command_is_missing(pytester, monkeypatch):
    monkeypatch.setenv("LUTHIER", "/nowhere/luthier")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=4)
    result.stdout.fnmatch_lines(["*LUTHIER=/nowhere/luthier is no program*"])
