import { Effect, Schema } from "effect"
import { addDays } from "../../../../contract/time.ts"
import {
  type BasePriceDay,
  BasePricePushes,
  get_base_prices
} from "../../../../domain/calendars/base-prices/contract.ts"
import { STAY_NIGHTS } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { makeMutation, makeQuery } from "../api-operations.ts"
import { channelName } from "../channel-names.ts"
import {
  actionForm,
  checkboxGroup,
  disclosure,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  parseNumber,
  readFilledFields
} from "../form-fields.ts"
import type { FailedSubmission, HostAction, OneTimeContent } from "../host-page.ts"
import { dayHtml, formatMoney, section, table } from "../page-parts.ts"
import {
  CLEARED_VALUES,
  PRICE_VALUE_FIELDS,
  readWeekdays,
  removeRangeIndex,
  WEEKDAY_OPTIONS
} from "../prices/price-fields.ts"
import { formatPushCount, SKIP_TEXTS } from "../prices/skip-texts.ts"

/** The property or room type of the base prices. `type` is its name in the query and in forms. */
export interface PriceTargetChoice {
  readonly type: "property" | "room_type"
  readonly id: number
}

export interface PriceSpan {
  readonly target: PriceTargetChoice
  readonly first: string
  readonly last: string
}

interface TitledPriceSpan extends PriceSpan {
  readonly title: string | undefined
}

interface PriceRun extends Omit<BasePriceDay, "date"> {
  readonly first: string
  readonly last: string
}

/** Joins consecutive days with equal values. */
export const toPriceRuns = (days: ReadonlyArray<BasePriceDay>): ReadonlyArray<PriceRun> => {
  const runs: Array<PriceRun> = []
  for (const { date, ...values } of days) {
    const run = runs.at(-1)
    const isSame =
      run !== undefined &&
      run.price === values.price &&
      run.minimum_stay === values.minimum_stay &&
      run.maximum_stay === values.maximum_stay
    if (isSame && addDays(run.last, 1) === date) runs[runs.length - 1] = { ...run, last: date }
    else runs.push({ ...values, first: date, last: date })
  }
  return runs
}

const readTargetId = (form: SubmittedForm): Schema.JsonObject => {
  const roomTypeId = form.get("room_type")
  return roomTypeId === null
    ? { property_id: parseNumber(form.get("property") ?? "") }
    : { room_type_id: parseNumber(roomTypeId) }
}

const toChange = (form: SubmittedForm, values: Schema.JsonObject): Schema.JsonObject => ({
  ...readTargetId(form),
  ranges: [
    {
      start_date: form.get("from") ?? "",
      end_date: form.get("to") ?? "",
      ...readWeekdays(form),
      ...values
    }
  ]
})

const renderPushes = ({ pushed, skipped }: BasePricePushes): OneTimeContent => ({
  _tag: "Told",
  html: html`<p class="message done" role="status">Prices saved. ${formatPushCount(pushed.length)}</p>
${
  skipped.length === 0
    ? nothing
    : html`<div class="message note"><p>Not sent to these listings:</p><ul>${skipped.map(({ channel_type, listing_id, reason }) => html`<li>${channelName(channel_type)} ${listing_id}: ${SKIP_TEXTS[reason]}.</li>`)}</ul></div>
`
}`
})

const decodePushes = Schema.decodeUnknownSync(Schema.toCodecJson(BasePricePushes))

export const makeBasePriceSection = (service: Service["Service"]) => {
  const [mutate, query] = [makeMutation(service), makeQuery(service, get_base_prices)]

  const makeAction = (readValues: (form: SubmittedForm) => Schema.JsonObject): HostAction => ({
    doneMessage: "Prices saved.",
    run: (visit, form) =>
      mutate(visit, form, "set_base_prices", toChange(form, readValues(form))).pipe(
        Effect.mapBoth({ onSuccess: (result) => renderPushes(decodePushes(result)), onFailure: removeRangeIndex })
      )
  })

  return {
    actions: {
      set_prices: makeAction((form) => readFilledFields(form, PRICE_VALUE_FIELDS)),
      clear_prices: makeAction(() => CLEARED_VALUES)
    },
    /** `title`: the title of the room type. Undefined for a property. */
    show: (visit: SignedInVisit, { title, ...span }: TitledPriceSpan, failedSubmission: FailedSubmission | undefined) =>
      Effect.match(
        query(visit, { [`${span.target.type}_id`]: span.target.id, start_date: span.first, end_date: span.last }),
        {
          onSuccess: ({ currency, days: basePriceDays }) =>
            section(
              title === undefined ? "Base prices" : `Base prices of ${title}`,
              html`${priceTable(currency, toPriceRuns(basePriceDays))}${priceForms(visit, span, currency, failedSubmission)}`,
              "prices"
            ),
          onFailure: ({ message }) => section("Base prices", html`<p>${message}</p>`, "prices")
        }
      )
  }
}

const formatNights = (nights: number | null): string => {
  if (nights === null) return "none"
  return nights === 1 ? "1 night" : `${nights} nights`
}

const priceTable = (currency: string, runs: ReadonlyArray<PriceRun>): Html =>
  table(
    { empty: "No days are selected." },
    [
      {
        label: "Days",
        cell: ({ first, last }) => (first === last ? dayHtml(first) : html`${dayHtml(first)} to ${dayHtml(last)}`)
      },
      {
        label: "Price of a night",
        cell: ({ price }) => (price === null ? "none" : formatMoney(String(price), currency)),
        isNumeric: true
      },
      { label: "Minimum stay", cell: ({ minimum_stay }) => formatNights(minimum_stay) },
      { label: "Maximum stay", cell: ({ maximum_stay }) => formatNights(maximum_stay) }
    ],
    runs
  )

const priceForms = (
  visit: SignedInVisit,
  { target, first, last }: PriceSpan,
  currency: string,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "set_prices")
  const days = html`<input type="hidden" name="${target.type}" value="${target.id}"><input type="hidden" name="from" value="${first}"><input type="hidden" name="to" value="${last}">`
  const weekdays = (action: string) =>
    checkboxGroup({
      name: "weekdays",
      legend: "Only these days (all if none ticked)",
      options: WEEKDAY_OPTIONS,
      selected: makeMultiFieldFiller(failedSubmission, action)("weekdays", [])
    })
  const stayField = (name: string, label: string) =>
    input(fillField, { name, label, hint: "nights", type: "number", min: 1, max: STAY_NIGHTS, step: 1 })
  return html`<p class="soft">Each listing gets the base price times its markup. An empty field changes nothing.</p>
${actionForm(visit, {
  action: "set_prices",
  label: "Save prices",
  fields: html`${days}${input(fillField, { name: "price", label: "Base price", hint: currency, type: "number", min: 1, step: 1 })}${stayField("minimum_stay", "Minimum stay")}${stayField("maximum_stay", "Maximum stay")}${weekdays("set_prices")}`
})}${disclosure(
  "Clear prices…",
  html`<p>Removes the base prices, minimum stays and maximum stays of these days. The channels keep the last values they got.</p>
${actionForm(visit, { action: "clear_prices", label: "Clear prices", kind: "danger", fields: html`${days}${weekdays("clear_prices")}` })}`
)}`
}
