import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, toDayNumber } from "../../../../src/contract/time.ts"
import { type FeedReadResult, readFeed } from "../../../../src/domain/calendars/imported-calendars/reading/feed.ts"
import {
  arbitraryFeedLines,
  toExtendedFormat
} from "../../../support/domain/calendars/imported-calendars/arbitrary-feed.ts"
import { TODAY } from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

// A feed never opens a day because of something that could not be read. If one line breaks, each busy day stays busy, or the
// reader reports the line. Then the service keeps the days that were busy before.

const read = (lines: ReadonlyArray<string>, zone = "Europe/Berlin"): FeedReadResult =>
  readFeed(Buffer.from(lines.join("\r\n")), {
    zone,
    first: toDayNumber(TODAY),
    last: toDayNumber(addDays(TODAY, 1_096))
  })

const daysOf = (reading: FeedReadResult): ReadonlyArray<number> => (reading.outcome === "read" ? reading.days : [])

const assertNothingOpens = (before: ReadonlyArray<string>, after: ReadonlyArray<string>, zone: string): void => {
  const [reading, broken] = [read(before, zone), read(after, zone)]
  assert.strictEqual(reading.outcome, "read")
  if (broken.outcome === "broken" || broken.unreadable.length > 0) return
  const days = new Set(broken.days)
  const openDays = daysOf(reading).filter((day) => !days.has(day))
  assert.deepStrictEqual(openDays, [], `${before.join("\n")}\n\nbecame\n\n${after.join("\n")}`)
}

const zone = fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")
/** Characters that make a value unreadable rather than another value. */
const character = fc.constantFrom("x", "?", ":", ";", ",", '"', "=", "-", ".", "/", "\u00e9", "\u0001")
const place = fc.record({ line: fc.nat(), at: fc.nat() })

describe("a feed with one broken line", () => {
  const opensNothing = (
    name: string,
    breaks: (line: string, at: number, character: string) => ReadonlyArray<string>,
    characters: fc.Arbitrary<string> = character
  ) =>
    it(`opens nothing in silence: ${name}`, () =>
      fc.assert(
        fc.property(arbitraryFeedLines, zone, place, characters, (lines, zone, { line, at }, character) => {
          const index = line % lines.length
          const text = lines[index] ?? ""
          const broken = breaks(text, at % (text.length + 1), character)
          assertNothingOpens(lines, lines.toSpliced(index, 1, ...broken), zone)
        }),
        { numRuns: PROPERTY_RUNS }
      ))

  opensNothing("a character is inserted", (line, at, character) => [line.slice(0, at) + character + line.slice(at)])
  opensNothing("a character is replaced", (line, at, character) => [line.slice(0, at) + character + line.slice(at + 1)])
  opensNothing(
    "white space is inserted",
    (line, at, character) => [line.slice(0, at) + character + line.slice(at)],
    fc.constantFrom(" ", "\t")
  )
  opensNothing("it is cut in two", (line, at) => [line.slice(0, at), line.slice(at)])
  opensNothing("its value is garbage", (line, _, character) => [`${line.split(":")[0]}:${character}garbage`])
  opensNothing("its value is missing", (line) => [`${line.split(":")[0]}:`])
  opensNothing("it is garbage", (_line, _at, character) => [`${character} garbage`])
  opensNothing("a line of a text comes before it", (line, _, character) => [`Guest ${character} Jane`, line])
})

describe("a feed", () => {
  it("is completely readable as the generator makes it", () =>
    fc.assert(
      fc.property(arbitraryFeedLines, zone, (lines, zone) => {
        const reading = read(lines, zone)
        assert.deepStrictEqual(reading.outcome === "read" ? reading.unreadable : reading.reason, [])
      }),
      { numRuns: PROPERTY_RUNS }
    ))

  const readsTheSame = (name: string, changes: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) =>
    it(`is read the same ${name}`, () =>
      fc.assert(
        fc.property(arbitraryFeedLines, zone, (lines, zone) =>
          assert.deepStrictEqual(read(changes(lines), zone), read(lines, zone))
        ),
        { numRuns: PROPERTY_RUNS }
      ))

  readsTheSame("with dashes and colons in its dates", (lines) => lines.map(toExtendedFormat))
  readsTheSame("with white space around component lines", (lines) =>
    lines.map((line) => (/^(?:BEGIN|END):/.test(line) ? ` \t${line} \t` : line))
  )
  readsTheSame("with white space after each line", (lines) => lines.map((line) => `${line} `))
  readsTheSame("with empty lines in it", (lines) => lines.flatMap((line) => [line, ""]))
  readsTheSame("with more after its end", (lines) => [...lines, "X-COMMENT:Hi", "", "<!-- made in 0.2 s -->"])
  readsTheSame("in lower case", (lines) =>
    lines.map((line) => (/TZID|RRULE/.test(line) ? line : line.replace(/^[A-Z-]+/, (name) => name.toLowerCase())))
  )

  it("has no more days without its last block Not available than with it", () =>
    fc.assert(
      fc.property(arbitraryFeedLines, (lines) => {
        const reading = read(lines)
        if (reading.outcome === "broken") return
        const { days, daysWithoutLastUnavailable: others, lastUnavailable: block } = reading
        const covered = days.filter((day) => block !== undefined && day >= block.from && day < block.before)
        assert.includeMembers([...days], [...others])
        for (const day of days) if (!others.includes(day)) assert.include(covered, day)
      }),
      { numRuns: PROPERTY_RUNS }
    ))

  it("that is cut off anywhere is broken", () =>
    fc.assert(
      fc.property(arbitraryFeedLines, fc.nat(), (lines, at) => {
        const text = lines.join("\r\n")
        assert.strictEqual(read([text.slice(0, at % text.length)]).outcome, "broken")
      }),
      { numRuns: PROPERTY_RUNS }
    ))
})
