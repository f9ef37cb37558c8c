import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { addAutomaticLine, computeNoteMaxLength, TaskNote } from "../../../../src/domain/work/tasks/note.ts"
import { AUTOMATIC_LINES_LENGTH, TASK_NOTE_LENGTH } from "../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const isTaskNote = Schema.is(TaskNote)
const LINE = "Automation: stay 5-ABC now needs this task."

describe("addAutomaticLine", () => {
  it("always adds the line, never removes a person's text, and makes a note that can be sent back", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: TASK_NOTE_LENGTH / 4 }),
        fc.boolean(),
        fc.array(fc.string({ maxLength: 180 }), { minLength: 1, maxLength: 12 }),
        (text, isLongest, texts) => {
          const person = (isLongest ? text.padEnd(TASK_NOTE_LENGTH, "x") : text).replaceAll("Automation: ", "")
          fc.pre(isTaskNote(person))
          let note = person
          for (const each of texts) {
            const line = `Automation: ${each.replaceAll("\n", " ")}`
            note = addAutomaticLine(note, line)
            assert.isTrue(note.endsWith(line))
            assert.isTrue(note.startsWith(person))
            assert.isTrue(isTaskNote(note))
            assert.isAtLeast(computeNoteMaxLength(note), note.length - person.length + TASK_NOTE_LENGTH - 1)
          }
        }
      ),
      { numRuns: PROPERTY_RUNS }
    )
  })
})

describe("TaskNote", () => {
  it("limits the text of a person to 500 characters and the whole note to 1,000", () => {
    const longest = "ü".repeat(TASK_NOTE_LENGTH)
    assert.isTrue(isTaskNote(longest))
    assert.isFalse(isTaskNote(`${longest}x`))
    assert.isTrue(isTaskNote(`${longest}\n${LINE}`))
    assert.isFalse(isTaskNote(`${longest}x\n${LINE}`))
    const lines = `Automation: ${"x".repeat(AUTOMATIC_LINES_LENGTH - "Automation: ".length - 1)}`
    assert.isTrue(isTaskNote(`${longest}\n${lines}`))
    assert.isFalse(isTaskNote(`${longest}\n${lines}x`))
  })
})
