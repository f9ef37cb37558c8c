import { Effect } from "effect"
import type { CurrentActor } from "../../../../contract/actor.ts"
import { Listings, type RatioChange } from "../../../../domain/listings/Listings.ts"
import type { ListingMapping } from "../../../../domain/listings/rules.ts"
import { RATIO_MAX, SCOPE_CHOICES_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { ListingDetail } from "../../queries/OneListing.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { apiErrorToActionError } from "../api-operations.ts"
import {
  actionForm,
  disclosure,
  input,
  makeFieldFiller,
  parseText,
  readChangedFields,
  type SelectOption,
  select,
  withCurrentOption
} from "../form-fields.ts"
import { type FailedSubmission, type HostAction, makeActionError } from "../host-page.ts"
import { section } from "../page-parts.ts"
import { mappingText } from "./channel-badges.ts"

// What a host decides of a listing: what it sells, and for how much of its price. No operation of the API does it: the service
// does, that the command line calls too, and for a listing of the operator's alone.

/** What a form says that the listing sells, `property:12` or `room_type:3`. */
const readMapping = (form: SubmittedForm): ListingMapping | undefined => {
  const [type, text] = (form.get("sells") ?? "").split(":")
  const id = parseRecordId(text)
  return id !== undefined && (type === "property" || type === "room_type") ? { type, id } : undefined
}

const formatMapping = ({ property_id, room_type_id }: ListingDetail): string => {
  if (property_id !== null) return `property:${property_id}`
  return room_type_id === null ? "" : `room_type:${room_type_id}`
}

export const makeListingSettingsSection = Effect.fnUntraced(function* (
  requireListing: (visit: SignedInVisit) => Effect.Effect<ListingDetail, ActionError>
) {
  const listings = yield* Listings

  const updateMapping = (
    visit: SignedInVisit,
    mapping: ListingMapping | undefined
  ): Effect.Effect<undefined, ActionError, CurrentActor> =>
    Effect.flatMap(requireListing(visit), ({ id }) =>
      listings
        .setMapping(visit.session.person.caller.operatorId, id, mapping)
        .pipe(Effect.mapError(apiErrorToActionError), Effect.as(undefined))
    )

  const actions = {
    link: {
      doneMessage: "The listing is linked: its orders come there, and its channel is told what is free.",
      run: (visit, form) => {
        const mapping = readMapping(form)
        return mapping === undefined
          ? Effect.fail(makeActionError(422, "Choose what the listing sells."))
          : updateMapping(visit, mapping)
      }
    },
    unlink: {
      doneMessage: "The listing sells nothing here any more: what is booked there comes into the box.",
      run: (visit) => updateMapping(visit, undefined)
    },
    ratio: {
      doneMessage: "Its share of the price is set.",
      run: (visit, form) =>
        Effect.flatMap(requireListing(visit), ({ id }) =>
          listings
            .setRatio(visit.session.person.caller.operatorId, id, readMarkup(form))
            .pipe(Effect.mapError(apiErrorToActionError), Effect.as(undefined))
        )
    }
  } satisfies Readonly<Record<string, HostAction>>

  return {
    actions,
    show: (visit: SignedInVisit, listing: ListingDetail, failedSubmission: FailedSubmission | undefined): Html =>
      html`<div class="columns">
${section("What it sells", html`${mappingForm(visit, listing, failedSubmission)}${removeMappingForm(visit, listing)}`)}
${section("For how much", markupForm(visit, listing, failedSubmission))}
</div>
`
  }
})

const mappingForm = (
  visit: SignedInVisit,
  listing: ListingDetail,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const { properties, room_types } = listing
  if (properties.length === 0)
    return html`<p>You have no property yet that it could sell.</p>
`
  const mappingOptions = [
    ...properties.slice(0, SCOPE_CHOICES_MAX).map(({ id, name }) => ({ value: `property:${id}`, label: name })),
    ...room_types
      .slice(0, SCOPE_CHOICES_MAX)
      .map(({ id, name }) => ({ value: `room_type:${id}`, label: `Rooms of ${name}` }))
  ]
  const currentMapping = formatMapping(listing)
  const isTruncated = properties.length > SCOPE_CHOICES_MAX || room_types.length > SCOPE_CHOICES_MAX
  return html`${actionForm(visit, {
    action: "link",
    label: "Link",
    fields: select(makeFieldFiller(failedSubmission, "link"), {
      name: "sells",
      label: "The property, or the room type whose rooms it sells",
      value: currentMapping,
      options: withCurrentOption(mappingOptions, currentMapping, mappingText(listing)),
      isRequired: true,
      ...(currentMapping === "" ? { emptyLabel: "Choose" } : {})
    })
  })}${isTruncated ? html`<p class="soft">Only the first ${SCOPE_CHOICES_MAX} by their names are listed.</p>` : nothing}`
}

const removeMappingForm = (visit: SignedInVisit, { link_type }: ListingDetail): Html =>
  link_type === null
    ? nothing
    : disclosure(
        "Take the link away",
        html`<p>What is booked there comes into the box, and its channel is not told any more what is free.</p>
${actionForm(visit, { action: "unlink", label: "Take the link away", kind: "danger" })}`
      )

/** What of it was touched; a percent that is none goes on as such. */
const readMarkup = (form: SubmittedForm): RatioChange => {
  const { percent, readonly } = readChangedFields(form, { percent: parseText, readonly: parseText })
  return {
    ...(percent === undefined ? {} : { percent: Number(percent) }),
    ...(readonly === undefined ? {} : { readonly: readonly === SET_AT_CHANNEL })
  }
}

const SET_AT_CHANNEL = "yes"

const PRICE_SOURCE_OPTIONS: ReadonlyArray<SelectOption> = [
  { value: "no", label: "here" },
  { value: SET_AT_CHANNEL, label: "not here: at the channel" }
]

const markupForm = (
  visit: SignedInVisit,
  listing: ListingDetail,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "ratio")
  return actionForm(visit, {
    action: "ratio",
    label: "Set",
    fields: html`${input(fillField, {
      name: "percent",
      label: "Percent of the base price of what it sells",
      hint: "100 is that price itself, 115 is 15 percent dearer",
      type: "number",
      min: 1,
      max: RATIO_MAX,
      step: 1,
      value: String(listing.ratio),
      isRequired: true,
      isEdit: true
    })}${select(fillField, { name: "readonly", label: "Its prices are set", value: listing.readonly ? SET_AT_CHANNEL : "no", options: PRICE_SOURCE_OPTIONS, isEdit: true })}`
  })
}
