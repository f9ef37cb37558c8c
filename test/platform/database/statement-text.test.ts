import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { toSingleLine } from "../../../src/platform/database/statement-text.ts"

const SPACES = fc.constantFrom(
  " ",
  "\n",
  "  \n\t ",
  "\r\n    ",
  ' -- it\'s "said", $$ and /*\n  ',
  "\n  -- a\n  -- b\n"
)

/** Pieces of a statement that stay as they are. */
const KEPT = fc.constantFrom(
  ...["SELECT", "$1::text", "a.b", "->>", "-1", "(", "count(*) / 2"],
  ...["''", "'it''s'", "'two  words'", "'over\n   two -- lines'", "E'\\'  \\\\'", "e'\n  ''\\n'", "'/* $$'", "'\"'"],
  ...['"two  columns"', '"\'"', "'\\'", "'--'", "'$name$'"]
)

describe("the text of a statement", () => {
  it("is in one line, with one space where there were any, and what is quoted as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(KEPT, SPACES), { minLength: 1 }), SPACES, (pieces, first) => {
        const text = first + pieces.flat().join("")
        const expected = pieces.map(([kept]) => kept).join(" ")
        assert.strictEqual(toSingleLine(text), expected)
        assert.strictEqual(toSingleLine(expected), expected)
      })
    )
  })

  it("has no space where there was none, and a comment to its end", () => {
    assert.strictEqual(toSingleLine("SELECT'a  b'::text,1--2"), "SELECT'a  b'::text,1")
    assert.strictEqual(toSingleLine("SELECT 1-- one\n-1"), "SELECT 1 -1")
  })

  it("stays to the letter where it is ambiguous what is quoted", () => {
    for (const text of [
      "SELECT 'a\n  b",
      'SELECT "a\n  b',
      "SELECT 'it's'",
      "SELECT E'\\'",
      "SELECT 1 -- one\n  /* it's */",
      "DO $$ BEGIN END $$",
      "SELECT $a$ ' $a$"
    ]) {
      assert.strictEqual(toSingleLine(text), text)
    }
  })
})
