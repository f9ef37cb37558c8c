import { Schema } from "effect"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import { AUTOMATIC_LINES_LENGTH, TASK_NOTE_LENGTH } from "../../../platform/limits.ts"

// A note has the host's text, and lines of automation rules after it (rule-tasks.ts, the trigger of migration 0075).

export const AUTOMATIC_LINE_PREFIX = "Automation: "

const isAutomaticLine = (line: string): boolean => line.startsWith(AUTOMATIC_LINE_PREFIX)

const removeAutomaticLines = (note: string): string =>
  note
    .split("\n")
    .filter((line) => !isAutomaticLine(line))
    .join("\n")

/** Automatic lines have room of their own, so that the longest text of a person never prevents one. */
const NOTE_WITH_LINES_LENGTH = TASK_NOTE_LENGTH + AUTOMATIC_LINES_LENGTH

const isTaskNote = (note: string): boolean =>
  hasAtMostCharacters(note, NOTE_WITH_LINES_LENGTH) && hasAtMostCharacters(removeAutomaticLines(note), TASK_NOTE_LENGTH)

/** Accepts each stored note, so that a caller can send a task back whole. */
export const TaskNote = Schema.String.check(
  Schema.makeFilter(isTaskNote, {
    expected: `at most ${TASK_NOTE_LENGTH} characters, and ${NOTE_WITH_LINES_LENGTH} with the lines that begin with "${AUTOMATIC_LINE_PREFIX}"`,
    toJsonSchema: () => ({ maxLength: TASK_NOTE_LENGTH })
  })
)

/**
 * Returns the maximum length of the note field, in UTF-16 code units: the host's text plus the automatic lines of
 * `note`.
 */
export const computeNoteMaxLength = (note: string): number =>
  TASK_NOTE_LENGTH + note.length - removeAutomaticLines(note).length

/**
 * Returns the note with the line at its end. If the note is too long then, the oldest automatic lines are removed, but
 * never a person's text. Returns the note unchanged if the line still does not fit.
 */
export const addAutomaticLine = (note: string, line: string): string => {
  const lines = note === "" ? [] : note.split("\n")
  while (!hasAtMostCharacters([...lines, line].join("\n"), NOTE_WITH_LINES_LENGTH)) {
    const oldest = lines.findIndex(isAutomaticLine)
    if (oldest === -1) return note
    lines.splice(oldest, 1)
  }
  return [...lines, line].join("\n")
}
