import { Clock, Effect } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { PRICE_DAYS_SHOWN, PRICE_TARGETS_MAX, SCOPE_CHOICES_MAX, STAY_NIGHTS } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { formKeyFields } from "../form-keys.ts"
import { PricedTargets } from "../queries/PricedTargets.ts"
import { PriceGrid, type PriceGridFilter, type PriceGridView } from "../queries/PriceGrid.ts"
import { ACTION_FIELD, type SignedInVisit } from "../visit.ts"
import {
  checkboxGroup,
  disclosure,
  type FieldFiller,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  queryForm,
  select
} from "./form-fields.ts"
import { type FailedSubmission, makeHostPage, readSubmittedAction } from "./host-page.ts"
import { formatDayRange, link, pagination, readDateParam, readIdParam, readOffsetParam } from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { makePriceActions, type PriceTargetType, parseTargetType } from "./prices/price-change.ts"
import { WEEKDAY_OPTIONS } from "./prices/price-fields.ts"
import { hasPrice, PRICE_LEGEND, priceGrid } from "./prices/price-grid.ts"
import { PRICES_PATH, PROPERTIES_PATH } from "./urls.ts"

export const makePricesPage = Effect.gen(function* () {
  const [grid, pricedTargets, service] = [yield* PriceGrid, yield* PricedTargets, yield* Service]
  return makeHostPage({
    path: PRICES_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
        const filter = readFilter(visit, today)
        const view = yield* grid.of(filter)
        return {
          title: "Prices",
          isWide: true,
          body: html`${typeSwitch(visit, filter.type)}${filterForm(visit, filter, view)}${dayNavigation(visit, filter)}
${view.rows.length === 0 ? emptyNote(visit, filter) : changeForm(visit, { filter, view, today, failedSubmission })}
${pagination(visit, { offset: filter.offset, limit: PRICE_TARGETS_MAX, total: view.total })}`
        }
      }),
    actions: makePriceActions(service, pricedTargets)
  })
})

const readFilter = (visit: SignedInVisit, today: string): PriceGridFilter => {
  const first = readDateParam(visit, "from") ?? today
  const q = (visit.query.get("q") ?? "").trim()
  return {
    type: parseTargetType(visit.query.get("show")),
    q: q === "" ? undefined : q,
    groupId: readIdParam(visit, "group"),
    first,
    last: addDays(first, PRICE_DAYS_SHOWN - 1),
    offset: readOffsetParam(visit),
    openId: readIdParam(visit, "listings")
  }
}

const TYPE_LABELS: Readonly<Record<PriceTargetType, string>> = { property: "Properties", room_type: "Room types" }

const typeSwitch = (visit: SignedInVisit, type: PriceTargetType): Html => {
  const typeLink = (other: PriceTargetType) => {
    const show = other === "room_type" ? other : undefined
    const url = currentUrlWith(visit, { show, q: undefined, group: undefined, offset: undefined, listings: undefined })
    return other === type
      ? html`<a href="${url}" aria-current="page">${TYPE_LABELS[other]}</a>`
      : link(url, TYPE_LABELS[other])
  }
  return html`<nav class="pages" aria-label="Prices of">${typeLink("property")} ${typeLink("room_type")}</nav>
`
}

const keepDefault: FieldFiller = (_name, defaultValue) => defaultValue

const filterForm = (visit: SignedInVisit, { type, q, groupId, first }: PriceGridFilter, view: PriceGridView): Html => {
  const groups = view.groups.slice(0, SCOPE_CHOICES_MAX).map(({ id, name }) => ({ value: id, label: name }))
  const groupField =
    type === "room_type" || groups.length === 0
      ? nothing
      : select(keepDefault, {
          name: "group",
          label: "Group",
          value: groupId ?? "",
          options: groups,
          emptyLabel: "All groups"
        })
  return queryForm(
    PRICES_PATH,
    html`${type === "room_type" ? html`<input type="hidden" name="show" value="room_type">` : nothing}${input(keepDefault, { name: "q", label: "Name", type: "search", value: q ?? "" })}${groupField}${input(keepDefault, { name: "from", label: "From", type: "date", value: visit.query.has("from") ? first : "" })}`,
    "Show"
  )
}

const dayNavigation = (visit: SignedInVisit, { first, last }: PriceGridFilter): Html => {
  const dayLink = (from: string | undefined, text: string) => link(currentUrlWith(visit, { from }), text)
  return html`<nav class="pages" aria-label="Days">${dayLink(addDays(first, -PRICE_DAYS_SHOWN), "‹ Earlier")} <strong>${formatDayRange(first, last)}</strong> ${dayLink(addDays(last, 1), "Later ›")} ${dayLink(undefined, "Today")}</nav>
`
}

const emptyNote = (visit: SignedInVisit, { type, q, groupId, offset }: PriceGridFilter): Html => {
  if (q !== undefined || groupId !== undefined || offset > 0)
    return html`<p class="empty">No ${TYPE_LABELS[type].toLowerCase()} match. ${link(currentUrlWith(visit, { q: undefined, group: undefined, offset: undefined }), "Show all")}</p>
`
  return html`<p class="empty">${type === "property" ? "You have no property yet." : "You have no room type yet."} ${link(PROPERTIES_PATH, type === "property" ? "Add a property" : "Add a room type")}</p>
`
}

interface ChangeFormContext {
  readonly filter: PriceGridFilter
  readonly view: PriceGridView
  readonly today: string
  readonly failedSubmission: FailedSubmission | undefined
}

/** One form has the grid and the new values, so that a host ticks rows and saves. */
const changeForm = (visit: SignedInVisit, { filter, view, today, failedSubmission }: ChangeFormContext): Html => {
  const { type, first, last, openId } = filter
  const action = failedSubmission === undefined ? "" : readSubmittedAction(failedSubmission)
  const fillField = makeFieldFiller(failedSubmission, action === "clear_prices" ? action : "set_prices")
  const fillList = makeMultiFieldFiller(failedSubmission, action)
  const grid = priceGrid(visit, view.rows, {
    label: TYPE_LABELS[type],
    first,
    last,
    today,
    openId,
    selected: fillList("target", []),
    isAllSelected: fillList("all", []).length > 0
  })
  return html`<form method="post" action="${currentUrlWith(visit)}" class="price-form">
${formKeyFields(visit)}<input type="hidden" name="type" value="${type}">
${grid}${view.rows.some(({ days }) => hasPrice(days)) ? nothing : NO_PRICES_NOTE}${openId === undefined ? nothing : PRICE_LEGEND}${targetError(fillField, type)}
<div class="price-bar">${valueFields(fillField, fillList("weekdays", []), { first: first < today ? today : first, last: last < today ? today : last, today })}</div>
</form>
`
}

const NO_PRICES_NOTE = html`<p class="soft">No prices on these nights yet. Tick rows, enter a price and save: each listing gets it plus its markup.</p>
`

const targetError = ({ errors }: FieldFiller, type: PriceTargetType): Html => {
  const text = errors?.get(type === "property" ? "property_ids" : "room_type_ids")
  return text === undefined
    ? nothing
    : html`<p class="field-error">${text}</p>
`
}

interface ChangedDays {
  readonly first: string
  readonly last: string
  readonly today: string
}

/** The button that saves comes first, because the enter key presses the first button of a form. */
const valueFields = (fillField: FieldFiller, weekdays: ReadonlyArray<string>, days: ChangedDays): Html => {
  const nightField = (name: string, label: string, apiName: string, value: string) =>
    input(fillField, { name, label, apiName, type: "date", min: days.today, value, isRequired: true })
  const numberField = (name: string, label: string, max?: number) =>
    input(fillField, { name, label, type: "number", min: 1, step: 1, ...(max === undefined ? {} : { max }) })
  return html`<div class="fields">${nightField("from", "First night", "start_date", days.first)}${nightField("to", "Last night", "end_date", days.last)}${numberField("price", "Price per night")}${numberField("minimum_stay", "Min. stay (nights)", STAY_NIGHTS)}${numberField("maximum_stay", "Max. stay (nights)", STAY_NIGHTS)}</div>
<div class="acts"><button class="primary" name="${ACTION_FIELD}" value="set_prices">Save prices</button>${checkboxGroup({ name: "weekdays", legend: "Only on (none: all)", options: WEEKDAY_OPTIONS, selected: weekdays })}${disclosure(
    "Clear prices…",
    html`<p>Removes prices and stay lengths of these nights. The channels keep the last values they got.</p>
<button class="danger" name="${ACTION_FIELD}" value="clear_prices">Clear prices</button>`
  )}</div>`
}
