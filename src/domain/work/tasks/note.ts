import { Schema } from "effect"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import { AUTOMATIC_LINES_LENGTH, TASK_NOTE_LENGTH } from "../../../platform/limits.ts"

// A task's note is the text of persons. Below it, automation adds lines (rule-tasks.ts, and the trigger of migration 0075).

/** Automatic lines begin with it. */
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
    expected: `at most ${TASK_NOTE_LENGTH} characters`,
    toJsonSchema: () => ({ maxLength: TASK_NOTE_LENGTH })
  })
)

/** Returns the longest length of a note that keeps the automatic lines of `note`. */
export const computeNoteMaxLength = (note: string): number =>
  TASK_NOTE_LENGTH + note.length - removeAutomaticLines(note).length

/**
 * Returns the note with the line at its end. If the note is too long then, the oldest automatic lines are removed, but
 * never a person's text.
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
