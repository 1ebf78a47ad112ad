"""What Cairn raises."""


class Error(Exception):
    """Cairn refused a call, or could not finish it; the text says what is wrong and what would be right.

    `status` is one of invalid_argument, unsupported, out_of_memory, workspace_too_small, device_error and
    internal_error. A call that was refused has written nothing.
    """

    def __init__(self, message: str, status: str = "invalid_argument") -> None:
        super().__init__(message)
        self.status = status
