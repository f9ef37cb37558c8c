import { STAY_NIGHTS } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import { formKeyFields } from "../../form-keys.ts"
import type { MonthProperty } from "../../queries/Month.ts"
import { ACTION_FIELD, type SignedInVisit } from "../../visit.ts"
import { disclosure, input, makeFieldFiller, select } from "../form-fields.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { link, readDateParam } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { PRICES_PATH } from "../urls.ts"
import { MOVE_ACTION } from "./move-actions.ts"

export const BOOK_ACTION = "book"

const submitButton = (action: string, label: string): Html =>
  html`<button name="${ACTION_FIELD}" value="${action}">${label}</button>`

interface SelectionFormOptions {
  readonly properties: ReadonlyArray<MonthProperty>
  readonly today: string
  readonly failedSubmission: FailedSubmission | undefined
}

const SELECTION_ACTIONS = ["set_prices", "clear_prices", "close_days", "open_days", BOOK_ACTION]

/**
 * Without script the host chooses a property and days here. The page's script fills in the form from the cells that the
 * host selects, and shows it as a bar. The button for prices comes first, because Enter presses it.
 */
export const selectionForm = (
  visit: SignedInVisit,
  { properties, today, failedSubmission }: SelectionFormOptions
): Html => {
  const action = failedSubmission === undefined ? "" : readSubmittedAction(failedSubmission)
  const fillField = makeFieldFiller(failedSubmission, SELECTION_ACTIONS.includes(action) ? action : "")
  const from = readDateParam(visit, "from") ?? today
  return html`<section id="selection"><h2>Block, price or book days</h2>
<form method="post" action="${currentUrlWith(visit)}" class="row">
${formKeyFields(visit)}<p class="selected" hidden></p>
${select(fillField, {
  name: "property",
  label: "Property",
  value: visit.query.get("property") ?? "",
  options: properties.map(({ id, title }) => ({ value: id, label: title })),
  isRequired: true
})}${input(fillField, { name: "from", label: "First day", type: "date", value: from < today ? today : from, isRequired: true, apiName: "start_date" })}${input(fillField, { name: "to", label: "Last day", type: "date", value: readDateParam(visit, "to") ?? from, isRequired: true, apiName: "end_date" })}
${disclosure(
  "Price & minimum stay",
  html`<div class="fields">${input(fillField, { name: "price", label: "Price per night", type: "number", min: 1, step: 1 })}${input(fillField, { name: "minimum_stay", label: "Minimum stay (nights)", type: "number", min: 1, max: STAY_NIGHTS, step: 1 })}</div>
<div class="acts">${submitButton("set_prices", "Save prices")}${submitButton("clear_prices", "Clear prices")}${link(PRICES_PATH, "More prices")}</div>
`,
  action === "set_prices"
)}<div class="acts">${submitButton("close_days", "Block")}${submitButton("open_days", "Unblock")}${submitButton(BOOK_ACTION, "Book")}<button type="button" class="clear" hidden>Clear</button></div>
</form>
</section>
`
}

/** The page's script fills in and sends this form after a drag. */
export const moveForm = (
  visit: SignedInVisit
): Html => html`<form method="post" action="${currentUrlWith(visit)}" id="move" hidden>
${formKeyFields(visit)}<input type="hidden" name="stay" value=""><input type="hidden" name="property_id" value=""><input type="hidden" name="check_in_date" value=""><input type="hidden" name="check_out_date" value=""><button name="${ACTION_FIELD}" value="${MOVE_ACTION}">Move</button>
</form>
`
