import { assert, describe, it } from "@effect/vitest"
import { area, checkbox, filling, input, touchedIn } from "../../../../../src/adapters/pages/console/host/fields.ts"
import { refusal } from "../../../../../src/adapters/pages/console/host/page.ts"

const AS_TEXT = (text: string) => text

/** A form of the act that came back, with what it sent. */
const cameBack = (sent: Readonly<Record<string, string>>) =>
  filling({ form: new URLSearchParams({ form_token: "t", act: "save", ...sent }), refused: refusal(422, "") }, "save")

describe("a form that came back", () => {
  it("holds what each field was at the first look, so that what was changed meanwhile is not touched by it", () => {
    const fill = cameBack({ email: "x", "was.email": "x", remarks: "too long", "was.remarks": "" })
    const email = input(fill, { name: "email", label: "E-mail", value: "y", edited: true }).html
    assert.include(email, 'name="was.email" value="x"')
    assert.include(email, 'name="email" value="x"')
    assert.include(
      area(fill, { name: "remarks", label: "Remarks", value: "z", edited: true }).html,
      'name="was.remarks" value=""'
    )
  })

  it("has a box as it was left, ticked or not", () => {
    const box = (fill: ReturnType<typeof filling>) => checkbox(fill, { name: "on", label: "On", checked: true }).html
    assert.notInclude(box(cameBack({})), " checked")
    assert.include(box(cameBack({ on: "yes" })), " checked")
    assert.include(box(filling(undefined, "save")), " checked")
  })
})

describe("a field of one line", () => {
  it("is not touched for the line breaks that a browser takes out of it", () => {
    const html = input(filling(undefined, "save"), {
      name: "way",
      label: "Way",
      value: "Gate 4\nDesk",
      edited: true
    }).html
    assert.include(html, 'name="was.way" value="Gate 4Desk"')
    const sent = new URLSearchParams({ way: "Gate 4Desk", "was.way": "Gate 4Desk" })
    assert.deepStrictEqual(touchedIn(sent, { way: AS_TEXT }), {})
  })
})
