# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Signal: treat animation as a sound engineer treats sound."""


def register():
    from . import operators, panels

    operators.register()
    panels.register()


def unregister():
    from . import operators, panels

    panels.unregister()
    operators.unregister()
