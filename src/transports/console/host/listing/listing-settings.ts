import { Effect, type Schema } from "effect"
import type { CurrentCaller } from "../../../../contract/caller.ts"
import { RATIO_MAX, SCOPE_CHOICES_MAX } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { ListingDetail } from "../../queries/OneListing.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { makeVoidMutation } from "../api-operations.ts"
import {
  actionForm,
  disclosure,
  input,
  makeFieldFiller,
  parseNumber,
  parseText,
  readChangedFields,
  type SelectOption,
  select,
  withCurrentOption
} from "../form-fields.ts"
import { type FailedSubmission, type HostAction, makeActionError } from "../host-page.ts"
import { section } from "../page-parts.ts"
import { mappingText } from "./channel-badges.ts"

/** Parses `property:12` or `room_type:3`. */
const readMapping = (form: SubmittedForm): Schema.JsonObject | undefined => {
  const [type, text] = (form.get("sells") ?? "").split(":")
  const id = parseRecordId(text)
  if (id === undefined) return undefined
  if (type === "property") return { property_id: id }
  return type === "room_type" ? { room_type_id: id } : undefined
}

const formatMapping = ({ property_id, room_type_id }: ListingDetail): string => {
  if (property_id !== null) return `property:${property_id}`
  return room_type_id === null ? "" : `room_type:${room_type_id}`
}

export const makeListingSettingsSection = (
  service: Service["Service"],
  requireListing: (visit: SignedInVisit) => Effect.Effect<ListingDetail, ActionError, CurrentCaller>
) => {
  const mutate = makeVoidMutation(service)

  const setMapping = (visit: SignedInVisit, form: SubmittedForm, change: Schema.JsonObject) =>
    Effect.flatMap(requireListing(visit), ({ channel_type, listing_id }) =>
      mutate(visit, form, "set_listing_mapping", { channel_type, listing_id, ...change })
    )

  const actions = {
    link: {
      doneMessage: "The listing is linked: its orders come there, and its channel is told what is free.",
      run: (visit, form) => {
        const mapping = readMapping(form)
        return mapping === undefined
          ? Effect.fail(makeActionError(422, "Choose what the listing sells."))
          : setMapping(visit, form, mapping)
      }
    },
    unlink: {
      doneMessage: "The listing sells nothing here any more: what is booked there comes into the box.",
      run: (visit, form) => setMapping(visit, form, { property_id: null, room_type_id: null })
    },
    ratio: {
      doneMessage: "Its share of the price is set.",
      run: (visit, form) => {
        const change = readMarkup(form)
        return Object.keys(change).length === 0
          ? Effect.as(requireListing(visit), undefined)
          : Effect.mapError(setMapping(visit, form, change), nameFormField)
      }
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
}

const nameFormField = (error: ActionError): ActionError => ({
  ...error,
  message: error.message.replace(/^ratio:/, "percent:")
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

const readMarkup = (form: SubmittedForm): Schema.JsonObject => {
  const { percent, readonly } = readChangedFields(form, { percent: parseNumber, readonly: parseText })
  return {
    ...(percent === undefined ? {} : { ratio: percent }),
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
