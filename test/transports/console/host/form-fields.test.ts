import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import {
  actionForm,
  checkbox,
  checkboxGroup,
  initialSelection,
  input,
  makeFieldFiller,
  select,
  textArea
} from "../../../../src/transports/console/host/form-fields.ts"
import {
  applyCheckboxChanges,
  readChangedFields,
  readCheckboxChanges
} from "../../../../src/transports/console/host/form-values.ts"
import { makeActionError } from "../../../../src/transports/console/host/host-page.ts"
import { makeHostVisit } from "../../../support/transports/console/host/host-visit.ts"

const AS_TEXT = (text: string) => text

/** A form of the act that came back, with what it sent. */
const cameBack = (sent: Readonly<Record<string, string>>) =>
  makeFieldFiller(
    { form: new URLSearchParams({ form_token: "t", act: "save", ...sent }), error: makeActionError(422, "") },
    "save"
  )

describe("a form that came back", () => {
  it("holds what each field was at the first look, so that what was changed meanwhile is not touched by it", () => {
    const fill = cameBack({ email: "x", "was.email": "x", remarks: "too long", "was.remarks": "" })
    const email = input(fill, { name: "email", label: "E-mail", value: "y", isEdit: true }).html
    assert.include(email, 'name="was.email" value="x"')
    assert.include(email, 'name="email" value="x"')
    assert.include(
      textArea(fill, { name: "remarks", label: "Remarks", value: "z", isEdit: true }).html,
      'name="was.remarks" value=""'
    )
  })

  it("has a box as it was left, ticked or not", () => {
    const box = (fill: ReturnType<typeof makeFieldFiller>) =>
      checkbox(fill, { name: "on", label: "On", isChecked: true }).html
    assert.notInclude(box(cameBack({})), " checked")
    assert.include(box(cameBack({ on: "yes" })), " checked")
    assert.include(box(makeFieldFiller(undefined, "save")), " checked")
  })
})

describe("a list of boxes", () => {
  const sent = (had: string, ticked: ReadonlyArray<string>) => {
    const form = new URLSearchParams({ "was.ids": had })
    for (const id of ticked) form.append("ids", id)
    return form
  }

  it("says what was ticked and unticked since the first look, also when it came back", () => {
    assert.isUndefined(readCheckboxChanges(sent("1 2", ["2", "1"]), "ids"))
    assert.isUndefined(readCheckboxChanges(sent("", []), "ids"))
    assert.deepStrictEqual(readCheckboxChanges(sent("1 2", ["2", "3"]), "ids"), { checked: ["3"], unchecked: ["1"] })
    const back = cameBack({ ids: "2", "was.ids": "1 2" })
    const list = checkboxGroup({
      name: "ids",
      legend: "",
      options: [],
      selected: [],
      initial: initialSelection(back, "ids", [1, 2, 3])
    })
    assert.include(list.html, 'name="was.ids" value="1 2"')
    assert.strictEqual(initialSelection(makeFieldFiller(undefined, "save"), "ids", [1, 2, 3]), "1 2 3")
  })

  it("changes of the list as it is now what was touched and nothing else, and twice is once", () => {
    const ids = FastCheck.uniqueArray(FastCheck.integer({ min: 1, max: 12 }))
    FastCheck.assert(
      FastCheck.property(ids, ids, ids, (had, now, wanted) => {
        const form = sent(had.join(" "), wanted.map(String))
        const ticks = readCheckboxChanges(form, "ids") ?? { checked: [], unchecked: [] }
        const after = applyCheckboxChanges(now, ticks).map(Number)
        for (const id of new Set([...had, ...now, ...wanted])) {
          const isTouched = had.includes(id) !== wanted.includes(id)
          assert.strictEqual(after.includes(id), (isTouched ? wanted : now).includes(id))
        }
        assert.deepStrictEqual(applyCheckboxChanges(after, ticks), applyCheckboxChanges(now, ticks))
      })
    )
  })
})

describe("a field of one line", () => {
  it("is not touched for the line breaks that a browser takes out of it", () => {
    const html = input(makeFieldFiller(undefined, "save"), {
      name: "way",
      label: "Way",
      value: "Gate 4\nDesk",
      isEdit: true
    }).html
    assert.include(html, 'name="was.way" value="Gate 4Desk"')
    const sent = new URLSearchParams({ way: "Gate 4Desk", "was.way": "Gate 4Desk" })
    assert.deepStrictEqual(readChangedFields(sent, { way: AS_TEXT }), {})
  })
})

describe("a form with several buttons", () => {
  it("begins with its main one, which the enter key presses, and the others accept incomplete fields", () => {
    const { html } = actionForm(makeHostVisit({ path: "/console/reservations/new" }), {
      action: "create",
      label: "Save",
      otherActions: [{ action: "check", label: "Check availability" }]
    })
    assert.deepStrictEqual(
      Array.from(html.matchAll(/<button[^>]*>/g), ([button]) => button),
      ['<button class="primary" name="act" value="create">', '<button name="act" value="check" formnovalidate>']
    )
  })
})

describe("a select", () => {
  it("has options that cannot be chosen", () => {
    const { html } = select(makeFieldFiller(undefined, "save"), {
      ...{ name: "property_id", label: "Property" },
      options: [
        { value: 1, label: "Free" },
        { value: 2, label: "Taken", isDisabled: true }
      ]
    })
    assert.include(html, '<option value="1">Free</option>')
    assert.include(html, '<option value="2" disabled>Taken</option>')
  })

  it("shows the error of the API's field beside the form's", () => {
    const filler = makeFieldFiller(
      {
        form: new URLSearchParams({ act: "save" }),
        error: makeActionError(422, "property_id: is required. check_in_date: is required.")
      },
      "save"
    )
    const { html } = select(filler, { name: "property", apiName: "property_id", label: "Property", options: [] })
    assert.include(html, 'aria-invalid="true"')
    assert.include(html, '<span class="field-error">Choose a property.</span>')
    assert.notInclude(html, "check-in")
  })
})
