# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics: masses of a body, its centre of mass, what it does in the air, and whether it stands in balance."""
