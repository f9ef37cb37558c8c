import { EMAIL, MOBILE_TEXT, STAFF_NAME, STAFF_NOTE } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaffForm } from "../../queries/Staff.ts"
import type { SignedInVisit } from "../../visit.ts"
import { PEOPLE_PATH, tasksAddress } from "../addresses.ts"
import { narrowing, propertyChoices } from "../choosing.ts"
import { area, behind, filling, fillingAll, formOf, hadAt, input, select } from "../fields.ts"
import type { HostView, NotTaken } from "../page.ts"
import { historyLink, link, section } from "../parts.ts"

/** Whether somebody works in every property or in some: to the API no property is all of them, which a form must not be by accident. */
export const WORKS_IN = "works_in"

/** The form of a staff member. */
export const staffView = (visit: SignedInVisit, has: StaffForm, notTaken?: NotTaken): HostView => {
  const { it, properties } = has
  const [act, button] = it === null ? ["add_staff", "Add them"] : ["change_staff", "Change them"]
  const fields = html`${personFields(has, act, notTaken)}${propertyFields(has, act, notTaken)}`
  const form = formOf(visit, { act, button, fields, ...(it === null ? {} : { id: it.id }) })
  return {
    title: it === null ? "Somebody new" : it.name,
    body: html`<p>${link(PEOPLE_PATH, "Back to all people")}${it === null ? nothing : html` · ${link(tasksAddress({ staff: it.id }), "Their tasks")}`}</p>
${section("Who it is", html`${narrowing(visit, properties)}${form}${it === null ? nothing : deleting(visit, it)}`)}${it === null ? nothing : historyLink(`staff:${it.id}`)}`
  }
}

const personFields = ({ it }: StaffForm, act: string, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, act, it?.id)
  const edited = it !== null
  const stands = select(fill, {
    name: "is_active",
    label: "Stands",
    hint: "Who is switched off is given no more tasks and keeps those there are.",
    value: String(it?.is_active ?? true),
    options: [
      { value: "true", words: "active" },
      { value: "false", words: "switched off" }
    ],
    edited
  })
  return html`${input(fill, { name: "name", label: "Name", value: it?.name ?? "", required: true, maxlength: STAFF_NAME, edited })}${input(
    fill,
    {
      name: "mobile",
      label: "Mobile",
      hint: "With its country code, such as +49 15112345678.",
      type: "tel",
      value: it?.mobile ?? "",
      required: true,
      maxlength: MOBILE_TEXT,
      edited
    }
  )}${input(fill, { name: "email", label: "E-mail address", type: "email", value: it?.email ?? "", maxlength: EMAIL, edited })}${area(
    fill,
    { name: "note", label: "Note", value: it?.note ?? "", maxlength: STAFF_NOTE, edited }
  )}${edited ? stands : nothing}`
}

const propertyFields = ({ it, properties }: StaffForm, act: string, notTaken?: NotTaken): Html =>
  html`${select(filling(notTaken, act, it?.id), {
    name: WORKS_IN,
    label: "Works in",
    value: (it?.property_ids.length ?? 0) === 0 ? "all" : "some",
    options: [
      { value: "all", words: "every property, later ones too" },
      { value: "some", words: "only those ticked below" }
    ],
    edited: it !== null
  })}${propertyChoices({
    legend: "Properties",
    properties,
    chosen: fillingAll(notTaken, act, it?.id)("property_ids", (it?.property_ids ?? []).map(String)),
    none: "There is no property yet.",
    ...(it === null ? {} : { had: hadAt(filling(notTaken, act, it.id), "property_ids", it.property_ids) })
  })}`

const deleting = (visit: SignedInVisit, { id, name }: NonNullable<StaffForm["it"]>): Html =>
  behind(
    "Delete them…",
    html`<p>They are gone for good; their tasks stay and have nobody assigned. To keep them, choose “switched off” instead.</p>
${formOf(visit, { act: "delete_staff", button: "Delete them", of: name, id, kind: "danger" })}`
  )
