"""What can go wrong."""


class Error(RuntimeError):
    """Bad input, a missing program, or a launch that cannot be: one line that says what, where and what to do."""


class Fault(Error):
    """A kernel did what the device stops: the text names kernel, cause, place and source line."""


class Endless(Error):
    """A kernel did not end in time; the text says where its waves were."""


class Failed(Error):
    """A program that was run ended badly; see `status` and `stderr`."""

    def __init__(self, text: str, status: int, stderr: str) -> None:
        super().__init__(text)
        self.status = status
        self.stderr = stderr
