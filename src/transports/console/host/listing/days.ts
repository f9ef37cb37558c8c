import { Effect, type Schema } from "effect"
import { addDays } from "../../../../contract/time.ts"
import { search_listing_calendars, TOLD_CHANNELS } from "../../../../domain/calendars/listing-calendars/contract.ts"
import {
  HONOURED_BY,
  type ListingDay,
  type Restriction,
  type Restrictions
} from "../../../../domain/channels/port/days.ts"
import { LISTING_INVENTORY_MAX, STAY_NIGHTS } from "../../../../platform/limits.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Refused } from "../../outcome.ts"
import type { OneListingShown } from "../../queries/OneListing.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { doing, reading } from "../asking.ts"
import { channelWords } from "../channel-words.ts"
import { asNumber, asText, behind, type Fill, filling, formOf, givenIn, input, select } from "../fields.ts"
import { actOf, type HostAct, hereWith, type NotTaken } from "../page.ts"
import { dayOf, link, moneyText, monthAfter, monthIn, monthText, section, table } from "../parts.ts"

// A month of a listing as its channel sells it, and the forms that tell the channel otherwise.

const DAYS = { start_date: asText, end_date: asText }
const asYes = (text: string): Schema.Json => text === "yes"

/** What the API says before why a listing cannot be read: which of several it is, and here is one. */
const NAMED_BEFORE = /^listings\[0\]\.listing_id: /

/** A form that tells the channel of one range of days. */
interface Telling {
  readonly operation: OperationName
  /** The list of ranges in the operation's payload. */
  readonly list: string
  readonly fields: Parameters<typeof givenIn>[1]
}

const TOLD: Readonly<Record<"price" | "stock" | "rules", Telling>> = {
  price: { operation: "update_listing_prices", list: "prices", fields: { ...DAYS, price: asNumber } },
  stock: { operation: "update_listing_inventories", list: "inventories", fields: { ...DAYS, inventory: asNumber } },
  rules: {
    operation: "update_listing_restrictions",
    list: "restrictions",
    fields: {
      ...DAYS,
      min_stay_on_arrival: asNumber,
      max_stay_on_arrival: asNumber,
      closed_on_arrival: asYes,
      closed_on_departure: asYes
    }
  }
}

export const makeDays = (
  service: Service["Service"],
  own: (visit: SignedInVisit) => Effect.Effect<OneListingShown, Refused>
) => {
  const [read, act] = [reading(service, search_listing_calendars), doing(service)]

  const telling = ({ operation, list, fields }: Telling, done: string): HostAct => ({
    done,
    run: (visit, form: Form) =>
      Effect.flatMap(own(visit), ({ channel_type, listing_id }) =>
        act(visit, form, operation, { channel_type, listing_id, [list]: [givenIn(form, fields)] })
      )
  })

  /** The days of a month; of a channel that does not answer, why. */
  const calendarOf = (visit: SignedInVisit, { channel_type, listing_id }: OneListingShown, month: string) =>
    read(visit, {
      start_date: `${month}-01`,
      end_date: addDays(`${monthAfter(month, 1)}-01`, -1),
      listings: [{ channel_type, listing_id }]
    }).pipe(
      Effect.map(({ listings: [only] }): ReadonlyArray<ListingDay> | string => only?.calendar ?? []),
      Effect.catch(({ words }) => Effect.succeed(words.replace(NAMED_BEFORE, "")))
    )

  return {
    acts: {
      price: telling(TOLD.price, "The price is set; the channel is told within a minute."),
      stock: telling(TOLD.stock, "How many there are is set; the channel is told within a minute."),
      rules: telling(TOLD.rules, "The rules of stay are set; the channel is told within a minute.")
    },
    show: Effect.fnUntraced(function* (
      visit: SignedInVisit,
      listing: OneListingShown,
      today: string,
      notTaken: NotTaken | undefined
    ): Effect.fn.Return<Html> {
      if (!TOLD_CHANNELS.includes(listing.channel_type)) return notTold(listing)
      const month = monthIn(visit) ?? today.slice(0, 7)
      const calendar = yield* calendarOf(visit, listing, month)
      const days =
        typeof calendar === "string"
          ? html`<p class="message note">The month cannot be read from the channel: ${calendar}</p>
`
          : daysOf(listing, calendar)
      return section(
        `The channel in ${monthText(month)}`,
        html`${monthsOf(visit, month)}${days}${telledOf(visit, listing, today, notTaken)}`,
        "days"
      )
    })
  }
}

const notTold = ({ channel_type }: OneListingShown): Html =>
  section(
    "Prices and days",
    html`<p>${channelWords(channel_type)} is told nothing from here: prices and days are set there.</p>
`
  )

const monthsOf = (visit: SignedInVisit, month: string): Html => {
  const to = (other: string) => link(`${hereWith(visit, { month: other })}#days`, monthText(other))
  return html`<nav class="pages" aria-label="Months">${to(monthAfter(month, -1))} ${link(`${hereWith(visit, { month: undefined })}#days`, "This month")} ${to(monthAfter(month, 1))}</nav>
`
}

const daysOf = ({ currency, channel_type }: OneListingShown, days: ReadonlyArray<ListingDay>): Html =>
  html`${channel_type === "ctrip" ? html`<p class="soft">Prices that are read are what is left after commission; those that you set are what guests pay.</p>` : nothing}${table(
    { empty: "The channel says nothing of these days." },
    [
      { label: "Night", cell: ({ date }) => dayOf(date) },
      { label: "Price", cell: ({ price }) => moneyText(price, currency), number: true },
      { label: "To sell", cell: ({ inventory }) => (inventory === 0 ? "none" : String(inventory)), number: true },
      { label: "Rules of stay", cell: ({ restrictions = {} }) => rulesText(restrictions) }
    ],
    days
  )}`

const WORDS: Readonly<Record<Restriction, (value: string) => string>> = {
  closed_on_arrival: () => "no arrival",
  closed_on_departure: () => "no departure",
  min_stay_on_arrival: (nights) => `${nights} nights or more from this day`,
  max_stay_on_arrival: (nights) => `${nights} nights or fewer from this day`,
  exact_stay_on_arrival: (nights) => `exactly ${nights} nights from this day`,
  min_stay_through: (nights) => `${nights} nights or more over it`,
  max_stay_through: (nights) => `${nights} nights or fewer over it`,
  min_advance_reservation: (ahead) => `booked ${ahead} ahead or earlier`,
  max_advance_reservation: (ahead) => `booked ${ahead} ahead or later`
}

export const rulesText = (restrictions: Restrictions): string =>
  Object.entries(restrictions)
    .flatMap(([name, value]) => (value === false ? [] : [isRestriction(name) ? WORDS[name](String(value)) : name]))
    .join("; ")

const isRestriction = (name: string): name is Restriction => Object.hasOwn(WORDS, name)

/** The forms, unless nothing can be told. */
const telledOf = (
  visit: SignedInVisit,
  listing: OneListingShown,
  today: string,
  notTaken: NotTaken | undefined
): Html => {
  if (listing.account.auth_status === "disconnected") return nothing
  const isOpen = (act: string) => notTaken !== undefined && actOf(notTaken) === act
  return html`${
    listing.readonly
      ? html`<p class="soft">You said that its prices are not to be set from here.</p>
`
      : behind("Set a price", priceForm(visit, listing, today, filling(notTaken, "price")), isOpen("price"))
  }${behind("Set how many there are, or close it there", stockForm(visit, today, filling(notTaken, "stock")), isOpen("stock"))}${behind("Set rules of stay", rulesForm(visit, listing, today, filling(notTaken, "rules")), isOpen("rules"))}`
}

const daysFields = (fill: Fill, today: string): Html =>
  html`${input(fill, { name: "start_date", label: "First night", type: "date", min: today, required: true })}${input(fill, { name: "end_date", label: "Last night", type: "date", min: today, required: true })}`

const priceForm = (visit: SignedInVisit, { currency }: OneListingShown, today: string, fill: Fill): Html =>
  formOf(visit, {
    act: "price",
    button: "Set the price",
    row: true,
    fields: html`${daysFields(fill, today)}${input(fill, { name: "price", label: `A night, in whole ${currency}`, type: "number", min: 1, step: 1, required: true })}`
  })

const stockForm = (visit: SignedInVisit, today: string, fill: Fill): Html =>
  html`<p class="soft">This is said of this channel alone, and goes before your calendar until that changes on such a day. None closes it there.</p>
${formOf(visit, {
  act: "stock",
  button: "Set how many",
  row: true,
  fields: html`${daysFields(fill, today)}${input(fill, { name: "inventory", label: "How many can be sold", type: "number", min: 0, max: LISTING_INVENTORY_MAX, step: 1, required: true })}`
})}`

const YES_OR_NO = [
  { value: "yes", words: "yes" },
  { value: "no", words: "no" }
]

/** Only what the channel honours is asked for: of the rest it would not be told. */
const rulesForm = (visit: SignedInVisit, { channel_type }: OneListingShown, today: string, fill: Fill): Html => {
  const honours = (name: Restriction) => HONOURED_BY[name].some((each) => each === channel_type)
  const nights = (name: "min_stay_on_arrival" | "max_stay_on_arrival", label: string) =>
    honours(name) ? input(fill, { name, label, type: "number", min: 1, max: STAY_NIGHTS, step: 1 }) : nothing
  const closing = (name: "closed_on_arrival" | "closed_on_departure", label: string) =>
    honours(name) ? select(fill, { name, label, options: YES_OR_NO, none: "as it is" }) : nothing
  if (!honours("min_stay_on_arrival"))
    return html`<p>${channelWords(channel_type)} takes no rules of stay from here: they are set there.</p>
`
  return html`<p class="soft">What is left empty stays as it is.</p>
${formOf(visit, {
  act: "rules",
  button: "Set the rules",
  row: true,
  fields: html`${daysFields(fill, today)}${nights("min_stay_on_arrival", "Nights at least")}${nights("max_stay_on_arrival", "Nights at most")}${closing("closed_on_arrival", "No arrival on these days")}${closing("closed_on_departure", "No departure on these days")}`
})}`
}
