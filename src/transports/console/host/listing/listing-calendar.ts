import { Effect, type Schema } from "effect"
import type { CurrentCaller } from "../../../../contract/caller.ts"
import { addDays } from "../../../../contract/time.ts"
import {
  CALENDAR_PUSH_CHANNELS,
  search_listing_calendars
} from "../../../../domain/calendars/listing-calendars/contract.ts"
import {
  CHANNELS_BY_RESTRICTION,
  type ListingDay,
  type Restriction,
  type Restrictions
} from "../../../../domain/channels/port/listing-days.ts"
import { LISTING_INVENTORY_MAX, STAY_NIGHTS } from "../../../../platform/limits.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { ListingDetail } from "../../queries/OneListing.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { makeQuery, makeVoidMutation } from "../api-operations.ts"
import { channelName } from "../channel-names.ts"
import { actionForm, disclosure, type FieldFiller, input, makeFieldFiller, select } from "../form-fields.ts"
import { parseNumber, parseText, readFilledFields } from "../form-values.ts"
import { type FailedSubmission, type HostAction, readSubmittedAction } from "../host-page.ts"
import { addMonths, dayHtml, formatMoney, formatMonth, link, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { ownPriceCell, priceNotes, skipNote } from "./price-comparison.ts"

const DATE_RANGE_PARSERS = { start_date: parseText, end_date: parseText }
const parseYesNo = (text: string): Schema.Json => text === "yes"

/** Prefix of the API's error messages, which is useless on a page of one listing. */
const API_FIELD_PREFIX = /^listings\[0\]\.listing_id: /

interface ListingUpdate {
  readonly operation: OperationName
  readonly listField: string
  readonly fields: Parameters<typeof readFilledFields>[1]
}

const LISTING_UPDATES: Readonly<Record<"price" | "stock" | "rules", ListingUpdate>> = {
  price: {
    operation: "update_listing_prices",
    listField: "prices",
    fields: { ...DATE_RANGE_PARSERS, price: parseNumber }
  },
  stock: {
    operation: "update_listing_inventories",
    listField: "inventories",
    fields: { ...DATE_RANGE_PARSERS, inventory: parseNumber }
  },
  rules: {
    operation: "update_listing_restrictions",
    listField: "restrictions",
    fields: {
      ...DATE_RANGE_PARSERS,
      min_stay_on_arrival: parseNumber,
      max_stay_on_arrival: parseNumber,
      closed_on_arrival: parseYesNo,
      closed_on_departure: parseYesNo
    }
  }
}

interface ListingCalendarOptions {
  readonly today: string
  readonly month: string
  readonly failedSubmission: FailedSubmission | undefined
}

export const makeListingCalendarSection = (
  service: Service["Service"],
  requireListing: (visit: SignedInVisit) => Effect.Effect<ListingDetail, ActionError, CurrentCaller>
) => {
  const [queryCalendar, mutate] = [makeQuery(service, search_listing_calendars), makeVoidMutation(service)]

  const makeUpdateAction = ({ operation, listField, fields }: ListingUpdate, message: string): HostAction => ({
    doneMessage: message,
    run: (visit, form: SubmittedForm) =>
      Effect.flatMap(requireListing(visit), ({ channel_type, listing_id }) =>
        mutate(visit, form, operation, { channel_type, listing_id, [listField]: [readFilledFields(form, fields)] })
      )
  })

  /** Returns the calendar, or the error message if the channel does not respond. */
  const loadCalendar = (visit: SignedInVisit, { channel_type, listing_id }: ListingDetail, month: string) =>
    queryCalendar(visit, {
      start_date: `${month}-01`,
      end_date: addDays(`${addMonths(month, 1)}-01`, -1),
      listings: [{ channel_type, listing_id }]
    }).pipe(
      Effect.map(
        ({ listings: [listingCalendar] }): ReadonlyArray<ListingDay> | string => listingCalendar?.calendar ?? []
      ),
      Effect.catch(({ message }) => Effect.succeed(message.replace(API_FIELD_PREFIX, "")))
    )

  return {
    actions: {
      price: makeUpdateAction(LISTING_UPDATES.price, "Price saved. The channel gets it within a minute."),
      stock: makeUpdateAction(LISTING_UPDATES.stock, "Available units saved. The channel gets them within a minute."),
      rules: makeUpdateAction(LISTING_UPDATES.rules, "Restrictions saved. The channel gets them within a minute.")
    },
    show: Effect.fnUntraced(function* (
      visit: SignedInVisit,
      listing: ListingDetail,
      { today, month, failedSubmission }: ListingCalendarOptions
    ): Effect.fn.Return<Html> {
      if (!CALENDAR_PUSH_CHANNELS.includes(listing.channel_type)) return updatesUnsupportedNote(listing)
      const calendar = yield* loadCalendar(visit, listing, month)
      const calendarHtml =
        typeof calendar === "string"
          ? html`<p class="message note">The channel does not answer: ${calendar} Reload the page in a minute.</p>
`
          : calendarTable(listing, calendar)
      return section(
        `Availability and prices on ${channelName(listing.channel_type)}, ${formatMonth(month)}`,
        html`${monthNavigation(visit, month)}${calendarHtml}${updateForms(visit, listing, today, failedSubmission)}`,
        "days"
      )
    })
  }
}

const updatesUnsupportedNote = ({ channel_type }: ListingDetail): Html =>
  section(
    "Availability and prices",
    html`<p>${channelName(channel_type)} takes no updates from here. Set prices and availability on the channel.</p>
`
  )

const monthNavigation = (visit: SignedInVisit, month: string): Html => {
  const monthLink = (otherMonth: string) =>
    link(`${currentUrlWith(visit, { month: otherMonth })}#days`, formatMonth(otherMonth))
  return html`<nav class="pages" aria-label="Months">${monthLink(addMonths(month, -1))} ${link(`${currentUrlWith(visit, { month: undefined })}#days`, "This month")} ${monthLink(addMonths(month, 1))}</nav>
`
}

const calendarTable = (listing: ListingDetail, days: ReadonlyArray<ListingDay>): Html => {
  const { currency, channel_type, base_prices } = listing
  const prices = new Map(base_prices?.reason === null ? base_prices.days.map((day) => [day.date, day]) : [])
  return html`${skipNote(listing)}${priceNotes(listing, prices, days)}${channel_type === "ctrip" ? html`<p class="soft">Ctrip shows prices after commission. The prices that you set are those that guests pay.</p>` : nothing}${table(
    { empty: "The channel has no data for these nights." },
    [
      { label: "Night", cell: ({ date }) => dayHtml(date) },
      {
        label: "Available",
        onPhone: "side",
        cell: ({ inventory }) => (inventory === 0 ? "none" : String(inventory)),
        isNumeric: true
      },
      {
        label: "Price on the channel",
        onPhone: "labelled",
        cell: ({ price }) => formatMoney(price, currency),
        isNumeric: true
      },
      {
        label: "Your price",
        onPhone: "labelled",
        cell: (day) => ownPriceCell(listing, prices.get(day.date), day),
        isNumeric: true
      },
      { label: "Restrictions", onPhone: "detail", cell: ({ restrictions = {} }) => restrictionsText(restrictions) }
    ],
    days
  )}`
}

const RESTRICTION_TEXTS: Readonly<Record<Restriction, (value: string) => string>> = {
  closed_on_arrival: () => "no check-in",
  closed_on_departure: () => "no check-out",
  min_stay_on_arrival: (nights) => `min. stay ${nights}`,
  max_stay_on_arrival: (nights) => `max. stay ${nights}`,
  exact_stay_on_arrival: (nights) => `exactly ${nights} nights`,
  min_stay_through: (nights) => `min. stay ${nights} over this night`,
  max_stay_through: (nights) => `max. stay ${nights} over this night`,
  min_advance_reservation: (ahead) => `booked at least ${ahead} ahead`,
  max_advance_reservation: (ahead) => `booked at most ${ahead} ahead`
}

export const restrictionsText = (restrictions: Restrictions): string =>
  Object.entries(restrictions)
    .flatMap(([name, value]) =>
      value === false ? [] : [isRestriction(name) ? RESTRICTION_TEXTS[name](String(value)) : name]
    )
    .join(", ")

const isRestriction = (name: string): name is Restriction => Object.hasOwn(RESTRICTION_TEXTS, name)

const updateForms = (
  visit: SignedInVisit,
  listing: ListingDetail,
  today: string,
  failedSubmission: FailedSubmission | undefined
): Html => {
  if (listing.account.auth_status === "disconnected") return nothing
  const isFormOpen = (action: string) =>
    failedSubmission !== undefined && readSubmittedAction(failedSubmission) === action
  return html`${
    listing.readonly
      ? html`<p class="soft">Prices of this listing are set on the channel.</p>
`
      : disclosure(
          "Set a price for this listing only",
          priceUpdateForm(visit, listing, today, makeFieldFiller(failedSubmission, "price")),
          isFormOpen("price")
        )
  }${disclosure("Set availability", inventoryUpdateForm(visit, today, makeFieldFiller(failedSubmission, "stock")), isFormOpen("stock"))}${disclosure("Set restrictions", restrictionsUpdateForm(visit, listing, today, makeFieldFiller(failedSubmission, "rules")), isFormOpen("rules"))}`
}

const dateRangeFields = (fillField: FieldFiller, today: string): Html =>
  html`${input(fillField, { name: "start_date", label: "First night", type: "date", min: today, isRequired: true })}${input(fillField, { name: "end_date", label: "Last night", type: "date", min: today, isRequired: true })}`

const priceUpdateForm = (
  visit: SignedInVisit,
  { currency }: ListingDetail,
  today: string,
  fillField: FieldFiller
): Html =>
  actionForm(visit, {
    action: "price",
    label: "Save price",
    isInline: true,
    fields: html`${dateRangeFields(fillField, today)}${input(fillField, { name: "price", label: `Price per night in ${currency}`, type: "number", min: 1, step: 1, isRequired: true })}`
  })

const inventoryUpdateForm = (visit: SignedInVisit, today: string, fillField: FieldFiller): Html =>
  html`<p class="soft">For this channel only, until the availability of the night changes. 0 blocks the night on this channel.</p>
${actionForm(visit, {
  action: "stock",
  label: "Save availability",
  isInline: true,
  fields: html`${dateRangeFields(fillField, today)}${input(fillField, { name: "inventory", label: "Available units", type: "number", min: 0, max: LISTING_INVENTORY_MAX, step: 1, isRequired: true })}`
})}`

const YES_NO_OPTIONS = [
  { value: "yes", label: "yes" },
  { value: "no", label: "no" }
]

const restrictionsUpdateForm = (
  visit: SignedInVisit,
  { channel_type }: ListingDetail,
  today: string,
  fillField: FieldFiller
): Html => {
  const isSupported = (name: Restriction) => CHANNELS_BY_RESTRICTION[name].some((each) => each === channel_type)
  const nightsField = (name: "min_stay_on_arrival" | "max_stay_on_arrival", label: string) =>
    isSupported(name) ? input(fillField, { name, label, type: "number", min: 1, max: STAY_NIGHTS, step: 1 }) : nothing
  const yesNoField = (name: "closed_on_arrival" | "closed_on_departure", label: string) =>
    isSupported(name) ? select(fillField, { name, label, options: YES_NO_OPTIONS, emptyLabel: "No change" }) : nothing
  if (!isSupported("min_stay_on_arrival"))
    return html`<p>${channelName(channel_type)} takes no restrictions from here. Set them on the channel.</p>
`
  return html`<p class="soft">Empty fields change nothing.</p>
${actionForm(visit, {
  action: "rules",
  label: "Save restrictions",
  isInline: true,
  fields: html`${dateRangeFields(fillField, today)}${nightsField("min_stay_on_arrival", "Minimum stay (nights)")}${nightsField("max_stay_on_arrival", "Maximum stay (nights)")}${yesNoField("closed_on_arrival", "No check-in on these days")}${yesNoField("closed_on_departure", "No check-out on these days")}`
})}`
}
