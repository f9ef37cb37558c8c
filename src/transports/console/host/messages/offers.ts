import { Result } from "effect"
import type { SpecialOffer } from "../../../../domain/guests/special-offers/contract.ts"
import { takesOffers, takesPreapprovals } from "../../../../domain/guests/special-offers/rules/offering.ts"
import { GUESTS_MAX, OFFERED_LISTINGS } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Asking, Beside } from "../../queries/BesideTalk.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { asNumber, asText, behind, type Fill, filling, formOf, givenIn, input, select } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"
import { badge, dayOf, moneyOf, section, table } from "../parts.ts"

// What the guest of a conversation was offered, and what he can be: where his channel has offers.

/** The operator's own day, what stands beside the conversation, and what of its inquiry is still open. */
export interface Offering {
  readonly today: string
  readonly channelType: string
  readonly beside: Beside
  readonly isInquiryOpen: boolean
}

export const offersOf = (visit: SignedInVisit, offering: Offering, notTaken?: NotTaken): Html => {
  const { channelType, beside } = offering
  if (Result.isFailure(takesOffers(channelType))) return nothing
  return section(
    "Offers",
    html`${table(
      { empty: "Nothing was offered yet." },
      [
        {
          label: "Offer",
          cell: ({ offer_type }) => (offer_type === "preapproval" ? "Pre-approval" : "Special offer")
        },
        { label: "Nights", cell: (offer) => html`${dayOf(offer.check_in_date)} to ${dayOf(offer.check_out_date)}` },
        { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), number: true },
        { label: "Price", cell: priceOf, number: true },
        { label: "Stands", cell: ({ status }) => badge(status, KINDS[status]) },
        { label: "Take back", cell: (offer) => withdrawing(visit, offer) }
      ],
      beside.offers
    )}${preapproving(visit, offering)}${offerForm(visit, offering, notTaken)}`
  )
}

const KINDS = { active: "wait", accepted: "good", declined: "bad", expired: undefined, withdrawn: undefined } as const

const priceOf = ({ price, currency }: SpecialOffer): Html | string =>
  currency === null ? String(price) : moneyOf(price, currency)

const withdrawing = (visit: SignedInVisit, { id, status }: SpecialOffer): Html =>
  status === "active"
    ? behind(
        "Withdraw",
        html`<p>The guest sees that it is gone.</p>
${formOf(visit, { act: "withdraw", button: "Withdraw the offer", id, kind: "danger" })}`
      )
    : nothing

const guestsOf = (asking: Asking): string =>
  [
    { count: asking.number_of_adults ?? 1, one: "adult", more: "adults" },
    { count: asking.number_of_children ?? 0, one: "child", more: "children" },
    { count: asking.number_of_infants ?? 0, one: "infant", more: "infants" },
    { count: asking.number_of_pets ?? 0, one: "pet", more: "pets" }
  ]
    .flatMap(({ count, one, more }) => (count === 0 ? [] : [`${count} ${count === 1 ? one : more}`]))
    .join(", ")

const taken = html`<p class="message note" role="note">Not all of these nights are free.</p>
`

/** What the guest asks for at the standard price, where it can be pre-approved; what is over cannot. */
const preapproving = (
  visit: SignedInVisit,
  { today, channelType, beside: { asking }, isInquiryOpen }: Offering
): Html => {
  if (!isInquiryOpen || asking === null || Result.isFailure(takesPreapprovals(channelType))) return nothing
  const nights = html`${dayOf(asking.check_in_date)} to ${dayOf(asking.check_out_date)}, ${guestsOf(asking)}`
  if (asking.check_in_date < today) return html`<p>The guest asked for ${nights}, which have begun.</p>`
  return html`<h3>Pre-approve what the guest asks for</h3>
<p>${nights}, at your standard price. The guest can book it for about a day; the nights are not held.</p>
${asking.taken ? taken : nothing}${formOf(visit, { act: "preapprove", button: "Pre-approve" })}`
}

const NOTHING_ASKED = {
  listing_id: null,
  check_in_date: "",
  check_out_date: "",
  number_of_adults: 2,
  number_of_children: 0,
  number_of_infants: 0,
  number_of_pets: 0,
  taken: false
} satisfies Asking

/** Fields of an offer, as they are read. */
const OFFER_FIELDS = {
  listing_id: asText,
  check_in_date: asText,
  check_out_date: asText,
  price: asNumber,
  number_of_adults: asNumber,
  number_of_children: asNumber,
  number_of_infants: asNumber,
  number_of_pets: asNumber,
  rate_plan_id: asText,
  currency: asText
}

export const offerIn = (form: Form) => givenIn(form, OFFER_FIELDS)

const offerForm = (visit: SignedInVisit, offering: Offering, notTaken?: NotTaken): Html => {
  const { today, channelType, beside, isInquiryOpen } = offering
  if (beside.listings.length === 0) return html`<p>This account has no listing that could be offered.</p>`
  const fill = filling(notTaken, "offer")
  const asking = (isInquiryOpen ? beside.asking : null) ?? NOTHING_ASKED
  const shown = html`${listingField(fill, beside, asking)}${input(fill, { name: "check_in_date", label: "Check-in", type: "date", value: asking.check_in_date, min: today, required: true })}${input(fill, { name: "check_out_date", label: "Check-out", type: "date", value: asking.check_out_date, min: today, required: true })}${input(fill, { name: "price", label: "Price", hint: "Of the whole stay, in the listing's currency.", type: "number", min: 0, step: "any", required: true })}${channelType === "booking_site" ? siteFields(fill, visit) : nothing}${guestFields(fill, asking)}`
  const isOpen = notTaken !== undefined && actOf(notTaken) === "offer"
  return behind(
    "Make a special offer",
    html`<p>The guest sees it at once, and can book it for about a day. The nights must be free, and are not held.</p>
${asking.taken ? taken : nothing}${formOf(visit, { act: "offer", button: "Send the offer", fields: shown })}`,
    isOpen
  )
}

const listingField = (fill: Fill, { listings, hasMoreListings }: Beside, { listing_id }: Asking): Html =>
  select(fill, {
    name: "listing_id",
    label: "Listing",
    value: listing_id ?? "",
    ...(hasMoreListings ? { hint: `The first ${OFFERED_LISTINGS} of this account.` } : {}),
    options: listings.map((each) => ({ value: each.listing_id, words: `${each.title} (${each.currency})` })),
    required: true
  })

/** The booking site's own: what there is to pay in which currency, under which of its rate plans. */
const siteFields = (fill: Fill, { session }: SignedInVisit): Html =>
  html`${input(fill, { name: "currency", label: "Currency", value: session.person.caller.currency, maxlength: 3, required: true })}${input(fill, { name: "rate_plan_id", label: "Rate plan", hint: "The booking site's id of it.", required: true })}`

const guestFields = (fill: Fill, asking: Asking): Html => {
  const count = (name: string, label: string, value: number, min = 0) =>
    input(fill, { name, label, value: String(value), type: "number", min, max: GUESTS_MAX })
  return html`${count("number_of_adults", "Adults", asking.number_of_adults ?? 1, 1)}${count("number_of_children", "Children", asking.number_of_children ?? 0)}${count("number_of_infants", "Infants", asking.number_of_infants ?? 0)}${count("number_of_pets", "Pets", asking.number_of_pets ?? 0)}`
}
