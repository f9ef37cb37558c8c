import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, dayNumber } from "../../../src/contract/time.ts"
import { type Reading, readFeed } from "../../../src/resources/imported-calendars/reading/feed.ts"
import { feedLines, withDashes } from "./generate-feed.ts"
import { TODAY } from "./scene.ts"

// A feed never opens a day because of something that could not be read. If one line breaks, each busy day stays busy, or the
// reader reports something, and then the service keeps the days that it knew.

const read = (lines: ReadonlyArray<string>, zone = "Europe/Berlin"): Reading =>
  readFeed(Buffer.from(lines.join("\r\n")), { zone, first: dayNumber(TODAY), last: dayNumber(addDays(TODAY, 1_096)) })

const daysOf = (reading: Reading): ReadonlyArray<number> => (reading.outcome === "read" ? reading.days : [])

/** Set for a long run: `FAIL_CLOSED_RUNS=20000 FAIL_CLOSED_SEED=1`. */
const long = {
  ...(process.env.FAIL_CLOSED_RUNS === undefined ? {} : { numRuns: Number(process.env.FAIL_CLOSED_RUNS) }),
  ...(process.env.FAIL_CLOSED_SEED === undefined ? {} : { seed: Number(process.env.FAIL_CLOSED_SEED) })
}

const assertClosed = (before: ReadonlyArray<string>, after: ReadonlyArray<string>, zone: string): void => {
  const [was, is] = [read(before, zone), read(after, zone)]
  assert.strictEqual(was.outcome, "read")
  if (is.outcome === "broken" || is.unreadable.length > 0) return
  const days = new Set(is.days)
  const opened = daysOf(was).filter((day) => !days.has(day))
  assert.deepStrictEqual(opened, [], `${before.join("\n")}\n\nbecame\n\n${after.join("\n")}`)
}

const zone = fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")
/** Signs that make a value unreadable, not another value. */
const sign = fc.constantFrom("x", "?", ":", ";", ",", '"', "=", "-", ".", "/", "\u00e9", "\u0001")
const place = fc.record({ line: fc.nat(), at: fc.nat() })

describe("a feed with one broken line", () => {
  const opens = (
    name: string,
    breaks: (line: string, at: number, sign: string) => ReadonlyArray<string>,
    signs: fc.Arbitrary<string> = sign
  ) =>
    it(`opens nothing in silence: ${name}`, () =>
      fc.assert(
        fc.property(feedLines, zone, place, signs, (lines, zone, { line, at }, sign) => {
          const index = line % lines.length
          const text = lines[index] ?? ""
          const broken = breaks(text, at % (text.length + 1), sign)
          assertClosed(lines, lines.toSpliced(index, 1, ...broken), zone)
        }),
        { numRuns: 200, ...long }
      ))

  opens("a sign is inserted", (line, at, sign) => [line.slice(0, at) + sign + line.slice(at)])
  opens("a sign is replaced", (line, at, sign) => [line.slice(0, at) + sign + line.slice(at + 1)])
  opens(
    "white space is inserted",
    (line, at, sign) => [line.slice(0, at) + sign + line.slice(at)],
    fc.constantFrom(" ", "\t")
  )
  opens("it is broken in two", (line, at) => [line.slice(0, at), line.slice(at)])
  opens("its value is garbage", (line, _, sign) => [`${line.split(":")[0]}:${sign}garbage`])
  opens("its value is missing", (line) => [`${line.split(":")[0]}:`])
  opens("it is garbage", (_line, _at, sign) => [`${sign} garbage`])
  opens("a line of a text comes before it", (line, _, sign) => [`Guest ${sign} Jane`, line])
})

describe("a feed", () => {
  it("is whole as it is made here", () =>
    fc.assert(
      fc.property(feedLines, zone, (lines, zone) => {
        const reading = read(lines, zone)
        assert.deepStrictEqual(reading.outcome === "read" ? reading.unreadable : reading.why, [])
      }),
      { numRuns: 200, ...long }
    ))

  const reads = (name: string, changes: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) =>
    it(`is read the same ${name}`, () =>
      fc.assert(
        fc.property(feedLines, zone, (lines, zone) =>
          assert.deepStrictEqual(read(changes(lines), zone), read(lines, zone))
        ),
        { numRuns: 100, ...long }
      ))

  reads("with dashes and colons in its dates", (lines) => lines.map(withDashes))
  reads("with white space around component lines", (lines) =>
    lines.map((line) => (/^(?:BEGIN|END):/.test(line) ? ` \t${line} \t` : line))
  )
  reads("with white space after each line", (lines) => lines.map((line) => `${line} `))
  reads("with empty lines in it", (lines) => lines.flatMap((line) => [line, ""]))
  reads("with more after its end", (lines) => [...lines, "X-COMMENT:Hi", "", "<!-- made in 0.2 s -->"])
  reads("in lower case", (lines) =>
    lines.map((line) => (/TZID|RRULE/.test(line) ? line : line.replace(/^[A-Z-]+/, (name) => name.toLowerCase())))
  )

  it("without its last block Not available has no day more than with it", () =>
    fc.assert(
      fc.property(feedLines, (lines) => {
        const reading = read(lines)
        if (reading.outcome === "broken") return
        const { days, daysWithoutLastUnavailable: others, lastUnavailable: block } = reading
        const covered = days.filter((day) => block !== undefined && day >= block.from && day < block.before)
        assert.includeMembers([...days], [...others])
        for (const day of days) if (!others.includes(day)) assert.include(covered, day)
      }),
      { numRuns: 200, ...long }
    ))

  it("that is cut off is broken, wherever that is", () =>
    fc.assert(
      fc.property(feedLines, fc.nat(), (lines, at) => {
        const text = lines.join("\r\n")
        assert.strictEqual(read([text.slice(0, at % text.length)]).outcome, "broken")
      }),
      { numRuns: 200, ...long }
    ))
})
