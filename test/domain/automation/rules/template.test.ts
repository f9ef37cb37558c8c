import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import {
  type FilledTemplate,
  fillInquiryTemplate,
  fillStayTemplate,
  findStayOnlyField,
  parseTemplate
} from "../../../../src/domain/automation/rules/template.ts"
import type { InquiryFacts, StayFacts } from "../../../../src/domain/automation/template-facts.ts"
import { TEMPLATE_FIELDS_MAX } from "../../../../src/platform/limits.ts"
import { makeStayFacts } from "../../../support/stay-facts.ts"

const PUBLIC_URL = "https://pms.example.test"
// Half an hour after the door of the stay may be opened.
const NOW = new Date("2027-05-04T14:30:00Z")

/** What a template becomes, or why it does not. */
const outcome = (text: string, given: Partial<StayFacts> = {}, now = NOW): Result.Result<FilledTemplate, string> =>
  Result.flatMap(parseTemplate(text), (template) =>
    fillStayTemplate(template, { stay: makeStayFacts(given), now, publicUrl: PUBLIC_URL })
  )
const said = (text: string, given: Partial<StayFacts> = {}, now = NOW): string =>
  Result.match(outcome(text, given, now), { onSuccess: (filled) => filled.text, onFailure: (why) => `! ${why}` })

describe("a template", () => {
  it.each([
    ["guest.name", "Ada Lovelace"],
    ["guest.first_name", "Ada"],
    ["stay.code", "5-ABC"],
    ["stay.check_in_date", "2027-05-04"],
    ["stay.check_in_time", "15:00"],
    ["stay.check_out_date", "2027-05-07"],
    ["stay.check_out_time", "11:00"],
    ["stay.nights", "3"],
    ["stay.guests", "2"],
    ["stay.door_code", "4711"],
    ["stay.page", `${PUBLIC_URL}/guests/lkguest_${"0".repeat(32)}`],
    ["property.name", "Harbour 1"],
    ["property.address", "Rua Nova 1"],
    ["host.name", "Harbour"],
    ["cf.gate", "blue"]
  ])("says {{%s}}: %s", (field, value) => {
    const given = { address: "Rua Nova 1", custom_fields: { gate: "blue" } }
    assert.strictEqual(said(`<{{${field}}}>`, given), `<${value}>`)
    assert.strictEqual(said(`{{ ${field} }}{{${field}}}`, given), value + value)
  })

  it.each([
    ["guest.name", { guest_name: null }, /guest/],
    ["guest.first_name", { guest_name: "  " }, /guest/],
    ["property.name", { title: null }, /property/],
    ["property.address", { address: "" }, /property .*address/],
    ["stay.page", { guide_token: null }, /stay .*page/],
    ["cf.gate", {}, /custom field gate/],
    ["cf.gate", { custom_fields: { Gate: "blue" } }, /custom field gate/],
    ["cf.gate", { custom_fields: { gate: "\n \t" } }, /custom field gate/],
    ["cf.constructor", { custom_fields: {} }, /custom field constructor/],
    ["cf.__proto__", { custom_fields: {} }, /custom field __proto__/]
  ] satisfies ReadonlyArray<[string, Partial<StayFacts>, RegExp]>)(
    "says why {{%s}} cannot be filled",
    (field, given, why) => {
      const refusal = said(`Hello from {{host.name}}, {{${field}}}`, given)
      assert.isTrue(refusal.startsWith(`! {{${field}}}: `))
      assert.match(refusal, why)
    }
  )

  it("tells a door code only where the page of the stay does", () => {
    const unknown = /^! \{\{stay\.door_code\}\}: /
    assert.match(said("{{stay.door_code}}", {}, new Date("2027-05-04T13:59:59.999Z")), unknown)
    assert.strictEqual(said("{{stay.door_code}}", {}, new Date("2027-05-04T14:00:00Z")), "4711")
    assert.match(said("{{stay.door_code}}", { id_required: "required" }), unknown)
    assert.match(said("{{stay.door_code}}", { status: "cancelled" }), unknown)
    assert.match(said("{{stay.door_code}}", { lock_code: null }), unknown)
  })

  it("never reads what a guest wrote as a template", () => {
    const guest_name = "{{stay.door_code}} {{{{ {{cf.gate}}"
    assert.strictEqual(said("Hello {{guest.name}}", { guest_name }), `Hello ${guest_name}`)
    assert.strictEqual(said("{{cf.gate}}", { custom_fields: { gate: "{{stay.door_code}}" } }), "{{stay.door_code}}")
    // Nor what two values become beside each other.
    const halves = { custom_fields: { a: "{{stay.door", b: "_code}}" } }
    assert.strictEqual(said("{{cf.a}}{{cf.b}}", halves), "{{stay.door_code}}")
    assert.strictEqual(said("{{{{{{cf.a}}", { custom_fields: { a: "stay.door_code}}" } }), "{{stay.door_code}}")
  })

  it("takes what others wrote as one line that turns nothing around", () => {
    const guest_name = " Ada\n\nYour host: pay here\u0000\u2028\u202e!\u2066 "
    assert.strictEqual(said("{{guest.name}}", { guest_name }), "Ada Your host: pay here !")
    assert.strictEqual(said("Hello\n{{guest.first_name}}\n", { guest_name: "王小明" }), "Hello\n王小明\n")
  })

  it("tells what of it is of the guide to the stay", () => {
    const filled = outcome("{{guest.name}} {{stay.check_in_time}} {{stay.door_code}} {{property.name}}")
    assert.deepStrictEqual(
      Result.map(filled, ({ guide }) => guide),
      Result.succeed(["15:00", "4711"])
    )
  })

  it.each([
    ["{{guest.nane}}", /^! \{\{guest\.nane\}\}: .*unknown/],
    ["{{cf.}}", /^! \{\{cf\.\}\}: .*unknown/],
    ["{{constructor}}", /^! \{\{constructor\}\}: .*unknown/],
    ["{{{guest.name}}}", /^! \{\{ .*\}\}.*\{\{\{\{/],
    ["{{}}", /^! \{\{ .*\}\}.*\{\{\{\{/],
    ["Hello {{guest.name", /^! \{\{ .*\}\}.*\{\{\{\{/],
    ["Hello {{guest.name}", /^! \{\{ .*\}\}.*\{\{\{\{/]
  ])("is refused: %s", (text, why) => {
    assert.match(said(text), why)
  })

  it("may have braces of its own", () => {
    assert.strictEqual(said("{a} }} {{{{guest.name}} {{{{{{guest.name}}"), "{a} }} {{guest.name}} {{Ada Lovelace")
  })

  it("has so many fields at most", () => {
    assert.strictEqual(said("{{stay.nights}}".repeat(TEMPLATE_FIELDS_MAX)), "3".repeat(TEMPLATE_FIELDS_MAX))
    assert.match(
      said("{{stay.nights}}".repeat(TEMPLATE_FIELDS_MAX + 1)),
      new RegExp(`^! .*${TEMPLATE_FIELDS_MAX} fields`)
    )
  })

  it("says its own text as it is, and each value in its place, whatever is in them", () => {
    const plain = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("{", "("))
    const value = fc
      .string({ unit: fc.constantFrom("{", "}", "a", ".", "stay.door_code", " ") })
      .filter((text) => text.trim() !== "")
    fc.assert(
      fc.property(plain, value, plain, value, (before, gate, between, key) => {
        const custom_fields = { gate, key }
        assert.strictEqual(
          said(`${before}{{cf.gate}}${between}{{cf.key}}`, { custom_fields }),
          `${before}${gate.trim()}${between}${key.trim()}`
        )
      })
    )
  })

  it("fills what is known of an inquiry, and tells the first field that is not", () => {
    const asked: InquiryFacts = {
      guest_name: "Ada Lovelace",
      host_name: "Harbour",
      channel_type: "airbnb",
      property_id: 3,
      title: "Harbour 1",
      address: null,
      check_in_date: null,
      check_out_date: null
    }
    const answer = (text: string) =>
      Result.flatMap(parseTemplate(text), (template) => fillInquiryTemplate(template, asked))
    assert.deepStrictEqual(
      answer("Dear {{guest.first_name}}, {{property.name}} is free. {{host.name}}"),
      Result.succeed({ text: "Dear Ada, Harbour 1 is free. Harbour", guide: [] })
    )
    for (const field of ["{{property.address}}", "{{stay.page}}"]) {
      assert.isTrue(
        Result.merge(Result.flip(answer(field)))
          .toString()
          .startsWith(`${field}: `)
      )
    }
    const first = (text: string) => Result.map(parseTemplate(text), findStayOnlyField)
    assert.deepStrictEqual(first("{{guest.name}} {{cf.gate}} {{stay.page}}"), Result.succeed("cf.gate"))
    assert.deepStrictEqual(first("{{guest.name}}"), Result.succeed(undefined))
  })
})
