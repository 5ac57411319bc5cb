# SPDX-License-Identifier: GPL-3.0-or-later
"""How operators refuse: one sentence for the animator, and nothing done."""

import functools

from ...core.numeric.refusal import Refusal


def refusing(execute):
    """An operator's `execute` that reports a Refusal, or a file that cannot be used, and is cancelled by it."""

    @functools.wraps(execute)
    def work(self, context):
        try:
            return execute(self, context) or {"FINISHED"}
        except (Refusal, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return work
