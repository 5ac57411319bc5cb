# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties from core's declarations, for operators and for the settings behind the panels.

A list, table or set of marks is one text property holding JSON, which scripts and presets use as it is. Beside it stands
a view, a vector property without storage of its own that shows the same text as sliders or ticks. In a panel, where sliders are
dragged and ticks are drawn all the time, it is the other way round: a vector holds a list of numbers, marks, or the row of a
table, and a text is made of it for who asks for one.
"""

from functools import lru_cache

import bpy

from ...core.declare import params as parameters
from ...core.numeric.refusal import Refusal

VIEW_SIZE = 32  # as many as a Blender vector property holds
ROW = "limbs_row"  # the name whose rows the sliders of all tables of a technique show
SUBTYPES = {"s": {"subtype": "TIME_ABSOLUTE", "unit": "TIME_ABSOLUTE"}, "m": {"subtype": "DISTANCE", "unit": "LENGTH"}}


def annotations(params, update=None):
    """Property annotations for every field of a params class.

    With `update`, from a declaration to what is called on change, they are for a panel, where a number typed too large is held
    at its limit. Without it they are for an operator, where core refuses such a number in words.
    """
    result, standing = {}, params()
    for name, declaration in parameters.declarations(params).items():
        default = getattr(standing, name)
        common = {"name": declaration.label, "description": declaration.text}
        if update:
            common["update"] = update(declaration)
        result[name] = MAKERS[declaration.kind](declaration, default, common)
        if has_view(declaration):
            if declaration.kind == "table":
                result[ROW] = bpy.props.StringProperty(
                    name="Faders For", options={"SKIP_SAVE"}, description="Bone whose own faders the sliders show"
                )
            if update and declaration.kind in DRAGGED:
                result |= DRAGGED[declaration.kind](name, declaration, common)
            else:
                result[view_name(name)] = VIEWS[declaration.kind](name, declaration, common)
    return result


def has_view(declaration):
    """Whether a parameter shows as sliders or ticks; a table does where its rows are lists like another's."""
    return declaration.kind in VIEWS and (declaration.kind != "table" or bool(declaration.like))


def view_name(name):
    return f"{name}_view"


def to_values(params, properties):
    """The plain values that properties hold, or a Refusal for text that cannot be read."""
    values = {}
    for name, declaration in parameters.declarations(params).items():
        value = None if is_slid(properties, name) else getattr(properties, name)
        if declaration.kind in parameters.STRUCTURED:
            value = slid(properties, name, declaration) if is_slid(properties, name) else value_in(name, value, declaration)
        elif declaration.kind == "number":
            value = float(f"{value:.7g}")  # what was typed, without the tail that single precision gives it
        values[name] = value
    return values


def value_in(name, text, declaration):
    """The value that a text holds, or a Refusal."""
    return parameters.read_text(name, text, declaration) if text else {} if declaration.kind in parameters.TABLES else []


def to_params(params, properties):
    return parameters.build(params, to_values(params, properties))


def from_params(params, properties):
    """Write the values of a params instance into properties; those that hold them already are not touched."""
    for name, declaration in parameters.declarations(type(params)).items():
        value = getattr(params, name)
        value = parameters.write_text(value) if declaration.kind in parameters.STRUCTURED else value
        if getattr(properties, name) != value:
            setattr(properties, name, value)


def reset(params, properties):
    """Set properties back to the defaults of a params class, and views back to what they show first."""
    if hasattr(properties, ROW):
        setattr(properties, ROW, "")
    from_params(params(), properties)


def number_property(declaration, default, common):
    return bpy.props.FloatProperty(
        default=default,
        precision=4 if 0 < default < 0.1 else 2,
        **limits(declaration, common),
        **SUBTYPES.get(declaration.unit, {}),
        **common,
    )


def limits(declaration, common):
    low, high = declaration.slider_range or (declaration.low, declaration.high)
    hard = {"min": declaration.low, "max": declaration.high} if "update" in common else {}
    return {"soft_min": low, "soft_max": high, **hard}


def whole_property(declaration, default, common):
    whole = {name: int(value) for name, value in limits(declaration, common).items()}
    return bpy.props.IntProperty(default=default, **whole, **common)


def flag_property(declaration, default, common):
    return bpy.props.BoolProperty(default=default, **common)


def choice_property(declaration, default, common):
    items = [(option.name, option.label, option.text) for option in declaration.options]
    return bpy.props.EnumProperty(items=items, default=default, **common)


def text_property(declaration, default, common):
    return bpy.props.StringProperty(default=default if declaration.kind == "words" else "", **common)


MAKERS = {
    "number": number_property,
    "whole": whole_property,
    "flag": flag_property,
    "choice": choice_property,
    **dict.fromkeys(("words", *parameters.STRUCTURED), text_property),
}


def said(declaration, common):
    return {"options": {"SKIP_SAVE"}, "name": common["name"], "description": declaration.each}


def view(get, put, declaration, common):
    return {"get": get, "set": put, **said(declaration, common)}


def slider_view(how, declaration, common):
    return bpy.props.FloatVectorProperty(
        size=VIEW_SIZE,
        default=[declaration.item] * VIEW_SIZE,
        precision=2,
        step=5,
        **limits(declaration, common),
        **how,
    )


def padded(values, declaration):
    return (list(values) + [declaration.item] * VIEW_SIZE)[:VIEW_SIZE]


def numbers_view(name, declaration, common):
    def get(self):
        return padded(readable(self, name, declaration), declaration)

    def put(self, values):
        """The list stays as long as it is: as many as there are bands, if those were given."""
        count, short = len(readable(self, name, declaration)), shortened(values, declaration)
        setattr(self, name, parameters.write_text(short + [declaration.item] * (count - len(short))))

    return slider_view(view(get, put, declaration, common), declaration, common)


def shortened(values, declaration):
    """As many entries as differ from the standing one; a take's own count is fitted later."""
    values = [round(value, 6) for value in values]
    while values and values[-1] == declaration.item:
        values.pop()
    return values


def dragged_list(name, declaration, common):
    """A list of numbers or marks in a panel: sliders or ticks that hold them, and the text, which holds what was written into
    it until one of the others is touched."""
    kept, slid_name, update = f"{name}_text", f"{name}_slid", common["update"]
    view, held = HELD[declaration.kind]

    def dragged(self, context):
        if not _written:
            setattr(self, slid_name, True)
            update(self, context)

    def get(self):
        return parameters.write_text(slid(self, name, declaration)) if is_slid(self, name) else getattr(self, kept)

    def put(self, text):
        setattr(self, kept, text)
        setattr(self, slid_name, False)
        _written.append(name)
        try:
            setattr(self, view_name(name), held(readable(self, name, declaration), declaration))
        finally:
            _written.pop()

    hidden = {"HIDDEN", "SKIP_SAVE"}
    return {
        name: bpy.props.StringProperty(get=get, set=put, **common),
        kept: bpy.props.StringProperty(options=hidden),
        slid_name: bpy.props.BoolProperty(options=hidden),
        view_name(name): view({**said(declaration, common), "update": dragged}, declaration, common),
    }


_written = []  # texts that are being written into sliders


def is_slid(properties, name):
    """Whether the numbers of a list, or of one row of a table, are those of its sliders, and not those of its text."""
    return bool(getattr(properties, f"{name}_slid", False))


def slid(properties, name, declaration):
    """The list as sliders or ticks have it, or the table whose rows are those of the text but for the one that was dragged."""
    if declaration.kind in SHORT:
        return SHORT[declaration.kind](getattr(properties, view_name(name)), declaration)
    dragged = [round(value, 6) for value in getattr(properties, f"{name}_held")]
    return {**rows_in(name, getattr(properties, f"{name}_text"), declaration), getattr(properties, f"{name}_slid"): dragged}


@lru_cache(maxsize=16)
def rows_in(name, text, declaration):
    """The rows in the text of a table, which stays the same while one of them is dragged."""
    return value_in(name, text, declaration)


def table_view(name, declaration, common):
    """The row of a table that is shown, as sliders."""

    def put(self, values):
        rows = readable(self, name, declaration)
        rows[getattr(self, ROW)] = [round(value, 6) for value in values]
        setattr(self, name, parameters.write_text(rows))

    return slider_view(view(row_getter(name, declaration), put, declaration, common), declaration, common)


def row_getter(name, declaration):
    """What the sliders of a table show: the row that is named, or what it is like as long as there is none."""

    def get(self):
        row = readable(self, name, declaration).get(getattr(self, ROW))
        return getattr(self, view_name(declaration.like)) if row is None else padded(row, declaration)

    return get


def dragged_table(name, declaration, common):
    """A table in a panel: the row that was dragged last is a vector, the others are a text."""
    kept, held, slid_name = f"{name}_text", f"{name}_held", f"{name}_slid"

    def get_text(self):
        return parameters.write_text(slid(self, name, declaration)) if is_slid(self, name) else getattr(self, kept)

    def put_text(self, text):
        setattr(self, kept, text)
        setattr(self, slid_name, "")

    def put(self, values):
        row = getattr(self, ROW)
        if getattr(self, slid_name) != row:
            put_text(self, parameters.write_text(readable(self, name, declaration)))
            setattr(self, slid_name, row)
        setattr(self, held, values)

    hidden = {"HIDDEN", "SKIP_SAVE"}
    how = view(row_getter(name, declaration), put, declaration, common)
    return {
        name: bpy.props.StringProperty(get=get_text, set=put_text, **common),
        kept: bpy.props.StringProperty(options=hidden),
        held: bpy.props.FloatVectorProperty(size=VIEW_SIZE, options=hidden),
        slid_name: bpy.props.StringProperty(options=hidden),
        view_name(name): slider_view({**how, "update": common["update"]}, declaration, common),
    }


def marks_view(name, declaration, common):
    def get(self):
        return ticked(readable(self, name, declaration), declaration)

    def put(self, values):
        setattr(self, name, parameters.write_text(marked(values, declaration)))

    return tick_view(view(get, put, declaration, common), declaration, common)


def tick_view(how, declaration, common):
    return bpy.props.BoolVectorProperty(size=VIEW_SIZE, **how)


def ticked(marks, declaration):
    return [index in marks for index in range(VIEW_SIZE)]


def marked(ticks, declaration):
    return [index for index, tick in enumerate(ticks) if tick]


def readable(properties, name, declaration):
    """What a text property holds; text that cannot be read shows as nothing here and is refused where it is used."""
    if is_slid(properties, name):
        return checked(name, declaration, lambda: slid(properties, name, declaration))
    return checked(name, declaration, lambda: value_in(name, getattr(properties, name), declaration))


def checked(name, declaration, value):
    """What `value` gives, if that is allowed, and nothing if it is not."""
    form = dict if declaration.kind in parameters.TABLES else list
    try:
        return form(parameters.CHECKS[declaration.kind](name, value(), declaration))
    except Refusal:
        return form()


VIEWS = {"numbers": numbers_view, "marks": marks_view, "table": table_view}
HELD = {"numbers": (slider_view, padded), "marks": (tick_view, ticked)}  # a list's vector in a panel, and what that holds
SHORT = {"numbers": shortened, "marks": marked}  # the list that a vector holds
DRAGGED = {
    "numbers": dragged_list,
    "marks": dragged_list,
    "table": dragged_table,
}  # where the view is touched, and not the text
