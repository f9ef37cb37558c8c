import { Result } from "effect"
import type { SpecialOffer } from "../../../../domain/guests/special-offers/contract.ts"
import {
  checkOffersSupported,
  checkPreapprovalsSupported
} from "../../../../domain/guests/special-offers/rules/offer-checks.ts"
import { GUESTS_MAX, OFFERED_LISTINGS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ConversationInquiry, ConversationSidebar } from "../../queries/BesideTalk.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { actionForm, disclosure, type FieldFiller, input, makeFieldFiller, select } from "../form-fields.ts"
import { parseNumber, parseText, readFilledFields } from "../form-values.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { badge, formatDayRange, moneyHtml, pluralize, section, table } from "../page-parts.ts"

/** `today` is the operator's local date. */
interface OfferContext {
  readonly today: string
  readonly channelType: string
  readonly conversationContext: ConversationSidebar
  readonly isInquiryOpen: boolean
}

export const offersSection = (
  visit: SignedInVisit,
  offerContext: OfferContext,
  failedSubmission?: FailedSubmission
): Html => {
  const { channelType, conversationContext } = offerContext
  if (Result.isFailure(checkOffersSupported(channelType))) return nothing
  return section(
    "Offers",
    html`${table(
      { empty: "No offers yet" },
      [
        {
          label: "Offer",
          cell: ({ offer_type }) => (offer_type === "preapproval" ? "Pre-approval" : "Special offer")
        },
        {
          label: "Dates",
          cell: (offer) => formatDayRange(offer.check_in_date, offer.check_out_date),
          onPhone: "detail"
        },
        { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), isNumeric: true },
        { label: "Price", cell: priceCell, isNumeric: true, onPhone: "detail" },
        {
          label: "Status",
          cell: ({ status }) => badge(STATUS_LABELS[status], STATUS_BADGE_KINDS[status]),
          onPhone: "side"
        },
        { label: "Action", cell: (offer) => withdrawForm(visit, offer), onPhone: "actions" }
      ],
      conversationContext.offers
    )}${preapprovalForm(visit, offerContext)}${offerForm(visit, offerContext, failedSubmission)}`
  )
}

const STATUS_LABELS = {
  active: "Open",
  accepted: "Accepted",
  declined: "Declined",
  expired: "Expired",
  withdrawn: "Withdrawn"
} as const

const STATUS_BADGE_KINDS = {
  active: "wait",
  accepted: "good",
  declined: "bad",
  expired: undefined,
  withdrawn: undefined
} as const

const priceCell = ({ price, currency }: SpecialOffer): Html | string =>
  currency === null ? String(price) : moneyHtml(price, currency)

const withdrawForm = (visit: SignedInVisit, { id, status }: SpecialOffer): Html =>
  status === "active"
    ? disclosure(
        "Withdraw",
        html`<p>The guest sees that the offer has ended.</p>
${actionForm(visit, { action: "withdraw", label: "Withdraw", id, kind: "danger" })}`
      )
    : nothing

const guestCountText = (inquiry: ConversationInquiry): string =>
  [
    { count: inquiry.number_of_adults ?? 1, one: "adult", more: "adults" },
    { count: inquiry.number_of_children ?? 0, one: "child", more: "children" },
    { count: inquiry.number_of_infants ?? 0, one: "infant", more: "infants" },
    { count: inquiry.number_of_pets ?? 0, one: "pet", more: "pets" }
  ]
    .flatMap(({ count, one, more: plural }) => (count === 0 ? [] : [pluralize(count, one, plural)]))
    .join(", ")

const UNAVAILABLE_NOTE = html`<p class="message note" role="note">Not all of these nights are free.</p>
`

const preapprovalForm = (
  visit: SignedInVisit,
  { today, channelType, conversationContext: { asking }, isInquiryOpen }: OfferContext
): Html => {
  if (!isInquiryOpen || asking === null || Result.isFailure(checkPreapprovalsSupported(channelType))) return nothing
  const inquiryText = `${formatDayRange(asking.check_in_date, asking.check_out_date)}, ${guestCountText(asking)}`
  if (asking.check_in_date < today)
    return html`<p>The guest asked for ${inquiryText}. The check-in date has passed.</p>`
  return html`<h3>Pre-approve this inquiry</h3>
<p>${inquiryText}, at your standard price. The guest can book for about a day. The nights stay available to others.</p>
${asking.taken ? UNAVAILABLE_NOTE : nothing}${actionForm(visit, { action: "preapprove", label: "Pre-approve", kind: "plain" })}`
}

const EMPTY_INQUIRY = {
  listing_id: null,
  check_in_date: "",
  check_out_date: "",
  number_of_adults: 2,
  number_of_children: 0,
  number_of_infants: 0,
  number_of_pets: 0,
  taken: false
} satisfies ConversationInquiry

const OFFER_PARSERS = {
  listing_id: parseText,
  check_in_date: parseText,
  check_out_date: parseText,
  price: parseNumber,
  number_of_adults: parseNumber,
  number_of_children: parseNumber,
  number_of_infants: parseNumber,
  number_of_pets: parseNumber,
  rate_plan_id: parseText,
  currency: parseText
}

export const readOffer = (form: SubmittedForm) => readFilledFields(form, OFFER_PARSERS)

const offerForm = (visit: SignedInVisit, offerContext: OfferContext, failedSubmission?: FailedSubmission): Html => {
  const { today, channelType, conversationContext, isInquiryOpen } = offerContext
  if (conversationContext.listings.length === 0) return html`<p>This channel account has no listing to offer.</p>`
  const fillField = makeFieldFiller(failedSubmission, "offer")
  const inquiry = (isInquiryOpen ? conversationContext.asking : null) ?? EMPTY_INQUIRY
  const offerFields = html`${listingField(fillField, conversationContext, inquiry)}${input(fillField, { name: "check_in_date", label: "Check-in", type: "date", value: inquiry.check_in_date, min: today, isRequired: true })}${input(fillField, { name: "check_out_date", label: "Check-out", type: "date", value: inquiry.check_out_date, min: today, isRequired: true })}${input(fillField, { name: "price", label: "Price", hint: "Total, in the listing's currency.", type: "number", min: 0, step: "any", isRequired: true })}${channelType === "booking_site" ? bookingSiteFields(fillField, conversationContext, inquiry) : nothing}${guestFields(fillField, inquiry)}`
  const isFormOpen = failedSubmission !== undefined && readSubmittedAction(failedSubmission) === "offer"
  return disclosure(
    "New special offer",
    html`<p>The guest can book the offer for about a day. The nights must be free, and stay available to others.</p>
${inquiry.taken ? UNAVAILABLE_NOTE : nothing}${actionForm(visit, { action: "offer", label: "Send offer", fields: offerFields })}`,
    isFormOpen
  )
}

const listingField = (
  fillField: FieldFiller,
  { listings, hasMoreListings }: ConversationSidebar,
  { listing_id }: ConversationInquiry
): Html =>
  select(fillField, {
    name: "listing_id",
    label: "Listing",
    value: listing_id ?? "",
    ...(hasMoreListings ? { hint: `First ${OFFERED_LISTINGS_MAX} of this account.` } : {}),
    options: listings.map((each) => ({ value: each.listing_id, label: `${each.title} (${each.currency})` })),
    isRequired: true
  })

const bookingSiteFields = (
  fillField: FieldFiller,
  { listings }: ConversationSidebar,
  { listing_id }: ConversationInquiry
): Html => {
  const listing = listings.find((each) => each.listing_id === listing_id) ?? listings[0]
  return html`${input(fillField, { name: "currency", label: "Currency", hint: "Currency of the listing.", value: listing?.currency ?? "", maxlength: 3, isRequired: true })}${input(fillField, { name: "rate_plan_id", label: "Rate plan", hint: "Its id on the booking site.", isRequired: true })}`
}

const guestFields = (fillField: FieldFiller, inquiry: ConversationInquiry): Html => {
  const countField = (name: string, label: string, value: number, min = 0) =>
    input(fillField, { name, label, value: String(value), type: "number", min, max: GUESTS_MAX })
  return html`${countField("number_of_adults", "Adults", inquiry.number_of_adults ?? 1, 1)}${countField("number_of_children", "Children", inquiry.number_of_children ?? 0)}${countField("number_of_infants", "Infants", inquiry.number_of_infants ?? 0)}${countField("number_of_pets", "Pets", inquiry.number_of_pets ?? 0)}`
}
