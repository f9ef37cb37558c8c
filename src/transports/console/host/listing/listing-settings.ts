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
  type SelectOption,
  select,
  withCurrentOption
} from "../form-fields.ts"
import { parseNumber, parseText, readChangedFields } from "../form-values.ts"
import { type FailedSubmission, type HostAction, makeActionError } from "../host-page.ts"
import { link, section } from "../page-parts.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import { mappingText } from "./channel-badges.ts"

const BASE_PERCENT = 100

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
      doneMessage: "Mapped. Its reservations go to this property, and the channel gets the availability.",
      run: (visit, form) => {
        const mapping = readMapping(form)
        return mapping === undefined
          ? Effect.fail(makeActionError(422, "property_id: is required."))
          : setMapping(visit, form, mapping)
      }
    },
    unlink: {
      doneMessage: "Unmapped. New reservations of this listing will be unassigned.",
      run: (visit, form) => setMapping(visit, form, { property_id: null, room_type_id: null })
    },
    ratio: {
      doneMessage: "Saved.",
      run: (visit, form) => {
        const change = readMarkup(form)
        return Object.keys(change).length === 0
          ? Effect.as(requireListing(visit), undefined)
          : Effect.mapError(setMapping(visit, form, change), describeMarkupError)
      }
    }
  } satisfies Readonly<Record<string, HostAction>>

  return {
    actions,
    show: (visit: SignedInVisit, listing: ListingDetail, failedSubmission: FailedSubmission | undefined): Html =>
      html`<div class="columns">
${section("Property", html`${mappingForm(visit, listing, failedSubmission)}${removeMappingForm(visit, listing)}`, "mapping")}
${section("Price markup", markupForm(visit, listing, failedSubmission), "markup")}
</div>
`
  }
}

/** The form has the markup, so its limits are those of the markup. */
const describeMarkupError = (error: ActionError): ActionError => ({
  ...error,
  message: error.message.replace(
    /^ratio: .*$/s,
    `ratio: must be a whole number from ${1 - BASE_PERCENT} to ${RATIO_MAX - BASE_PERCENT}.`
  )
})

const mappingForm = (
  visit: SignedInVisit,
  listing: ListingDetail,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const { properties, room_types } = listing
  if (properties.length === 0)
    return html`<p>You have no property yet. ${link(PROPERTIES_PATH, "Add a property")}</p>
`
  const mappingOptions = [
    ...properties.slice(0, SCOPE_CHOICES_MAX).map(({ id, name }) => ({ value: `property:${id}`, label: name })),
    ...room_types
      .slice(0, SCOPE_CHOICES_MAX)
      .map(({ id, name }) => ({ value: `room_type:${id}`, label: `Room type ${name}` }))
  ]
  const currentMapping = formatMapping(listing)
  const isTruncated = properties.length > SCOPE_CHOICES_MAX || room_types.length > SCOPE_CHOICES_MAX
  return html`${actionForm(visit, {
    action: "link",
    label: "Save",
    kind: currentMapping === "" ? "primary" : "plain",
    fields: select(makeFieldFiller(failedSubmission, "link"), {
      name: "sells",
      label: "Property or room type",
      apiName: "property_id",
      value: currentMapping,
      options: withCurrentOption(mappingOptions, currentMapping, mappingText(listing)),
      isRequired: true,
      ...(currentMapping === "" ? { emptyLabel: "Choose" } : {})
    })
  })}${isTruncated ? html`<p class="soft">Only the first ${SCOPE_CHOICES_MAX} names are listed.</p>` : nothing}`
}

const removeMappingForm = (visit: SignedInVisit, { link_type }: ListingDetail): Html =>
  link_type === null
    ? nothing
    : disclosure(
        "Unmap…",
        html`<p>New reservations of this listing will be unassigned, and the channel gets no more updates.</p>
${actionForm(visit, { action: "unlink", label: "Unmap", kind: "danger" })}`
      )

/** Converts a markup of 15 to a ratio of 115. Returns text that is not a number unchanged. */
const parseMarkup = (text: string): Schema.Json => {
  const markup = parseNumber(text)
  return typeof markup === "number" ? BASE_PERCENT + markup : markup
}

const readMarkup = (form: SubmittedForm): Schema.JsonObject => {
  const { markup, readonly } = readChangedFields(form, { markup: parseMarkup, readonly: parseText })
  return {
    ...(markup === undefined ? {} : { ratio: markup }),
    ...(readonly === undefined ? {} : { readonly: readonly === SET_AT_CHANNEL })
  }
}

const SET_AT_CHANNEL = "yes"

const PRICE_SOURCE_OPTIONS: ReadonlyArray<SelectOption> = [
  { value: "no", label: "Here: base price plus markup" },
  { value: SET_AT_CHANNEL, label: "On the channel" }
]

const markupForm = (
  visit: SignedInVisit,
  listing: ListingDetail,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "ratio")
  return actionForm(visit, {
    action: "ratio",
    label: "Save",
    kind: listing.link_type === null ? "plain" : "primary",
    fields: html`${input(fillField, {
      name: "markup",
      label: "Markup in percent",
      hint: "15 makes the base price 15 % higher, −10 makes it 10 % lower",
      apiName: "ratio",
      type: "number",
      min: 1 - BASE_PERCENT,
      max: RATIO_MAX - BASE_PERCENT,
      step: 1,
      value: String(listing.ratio - BASE_PERCENT),
      isRequired: true,
      isEdit: true
    })}${select(fillField, { name: "readonly", label: "Prices are set", value: listing.readonly ? SET_AT_CHANNEL : "no", options: PRICE_SOURCE_OPTIONS, isEdit: true })}`
  })
}
