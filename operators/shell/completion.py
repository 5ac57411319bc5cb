# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of commands and flags, as scripts for bash, zsh and fish, written from the parser."""

import re

SCRIPT_NAME = "motion-signal"
FLAG = re.compile(r"^  (?:-\w[^,]*, )?(--[\w-]+)", re.MULTILINE)


def tell_completion(shell, parsers):
    """Print the script for a shell, of commands by name, each with its parser."""
    print(SHELLS[shell]({name: FLAG.findall(one.format_help()) for name, one in parsers.items()}))


def bash(flags):
    cases = "\n".join(f'    {name}) words="{" ".join(of)}" ;;' for name, of in flags.items())
    return f"""_motion_signal() {{
  local words="{" ".join(flags)}" current="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" -gt 1 ]; then case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac; fi
  if [[ "$current" == -* || "$COMP_CWORD" -eq 1 ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _motion_signal {SCRIPT_NAME}"""


def zsh(flags):
    cases = "\n".join(f"    {name}) flags=({' '.join(of)}) ;;" for name, of in flags.items())
    return f"""#compdef {SCRIPT_NAME}
_motion_signal() {{
  local -a flags
  if (( CURRENT == 2 )); then compadd {" ".join(flags)}; return; fi
  case $words[2] in
{cases}
  esac
  if [[ $PREFIX == -* ]]; then compadd -- $flags; else _files; fi
}}
compdef _motion_signal {SCRIPT_NAME}"""


def fish(flags):
    start = f"complete -c {SCRIPT_NAME}"
    lines = [f"{start} -n __fish_use_subcommand -f -a {name}" for name in flags]
    lines += [f'{start} -n "__fish_seen_subcommand_from {name}" -l {flag[2:]}' for name, of in flags.items() for flag in of]
    return "\n".join(lines)


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
