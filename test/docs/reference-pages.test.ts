import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { routeOf, summaryOf, toolMetadataOf } from "../../src/contract/operation.ts"
import { EVENT_NAMES } from "../../src/jobs/events/event-statements.ts"
import { operations } from "../../src/service/Api.ts"
import { ERROR_TABLE } from "../../src/transports/docs/error-table.ts"
import { EVENT_TABLE, SUB_EVENT_TABLE } from "../../src/transports/docs/event-table.ts"
import { markdownTable } from "../../src/transports/docs/site/operation-page.ts"
import { assertGeneratedPart } from "../support/generated-page.ts"

// Parts of reference pages that are generated from the code. `UPDATE_DOCS=1 npx vitest run test/docs` writes them.

const source = (path: string): string => readFileSync(join(import.meta.dirname, "../../src", path), "utf8")

describe("the reference", () => {
  it("lists every operation", () => {
    const rows = operations.map((operation) => {
      const { method, path } = routeOf(operation)
      const tool = toolMetadataOf(operation) === undefined ? "" : `\`${operation._tag}\``
      return [`\`${method} ${path}\``, summaryOf(operation), tool]
    })
    const sortedRows = rows.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    assertGeneratedPart(
      "reference/operations.md",
      "operations",
      markdownTable(["route below `/v3`", "what it does", "tool"], sortedRows)
    )
  })

  it("lists every error code", () => {
    const rows = ERROR_TABLE.map(({ code, meaning, advice }) => [`${code}`, meaning, advice])
    assertGeneratedPart(
      "reference/errors.md",
      "errors",
      markdownTable(["`error_code`", "what happened", "what to do"], rows)
    )
  })

  it("lists every event with its triggers", () => {
    const sections = EVENT_NAMES.map((name) => {
      const { fields, triggers, fetchWith } = EVENT_TABLE[name]
      const state = fetchWith.startsWith("GET") || fetchWith.startsWith("POST") ? `\`${fetchWith}\`` : fetchWith
      return [
        `### \`${name}\``,
        `Fields: ${fields}.`,
        triggers.map((trigger) => `- ${trigger}`).join("\n"),
        `For the present state call ${state}.`
      ].join("\n\n")
    })
    assertGeneratedPart("reference/events.md", "events", sections.join("\n\n"))
    const rows = Object.entries(SUB_EVENT_TABLE).map(([name, change]) => [`\`${name}\``, change])
    assertGeneratedPart("reference/events.md", "sub-events", markdownTable(["`sub_event`", "what changed"], rows))
  })

  it("lists the values of sub_event that the statements record", () => {
    const files = [
      "domain/bookings/stays/check-in-details.ts",
      "domain/bookings/check-in/store.ts",
      "domain/bookings/reservations/rules/order-diff.ts"
    ]
    const recorded = files.flatMap((file) =>
      Array.from(source(file).matchAll(/["']([a-z_]+_(?:updated|deleted))["']/g), ([, name = ""]) => name)
    )
    assert.deepStrictEqual(Array.from(new Set(recorded)).toSorted(), Object.keys(SUB_EVENT_TABLE).toSorted())
  })
})

describe("the architecture decision records", () => {
  const folder = join(import.meta.dirname, "../../docs/adr")
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}-/.test(file))
    .toSorted()

  it("are numbered without a gap, dated, and listed in the index", () => {
    const rows = files.map((file, index) => {
      const text = readFileSync(join(folder, file), "utf8")
      const [, number = "", title = ""] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
      const [, date = ""] = /^Date: (\d{4}-\d{2}-\d{2})\. Status: \w+/m.exec(text) ?? []
      assert.strictEqual(Number(number), index + 1, file)
      assert.isTrue(file.startsWith(number.padStart(4, "0")), file)
      assert.isNotEmpty(date, file)
      return [number, `[${title}](${file})`, date]
    })
    assertGeneratedPart("adr/README.md", "records", markdownTable(["", "record", "date"], rows))
  })

  it.each(files)("%s has the four parts in at most 260 words", (file) => {
    const text = readFileSync(join(folder, file), "utf8")
    const parts = Array.from(text.matchAll(/^## (.+)$/gm), ([, name]) => name)
    assert.deepStrictEqual(parts, ["Context", "Decision", "Consequences", "Rejected"])
    assert.isAtMost(text.split(/\s+/).length, 260)
  })
})
