import { Effect, Schema } from "effect"
import { create_property_feed, type PropertyFeed } from "../../../../domain/calendars/property-feeds/contract.ts"
import { SCOPE_CHOICES_MAX } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { makeMutation } from "../api-operations.ts"
import type { SelectOption } from "../form-fields.ts"
import type { OneTimeContent } from "../host-page.ts"

export type SelectableProperties = ReadonlyArray<NamedRecord>

export const propertyOptions = (properties: SelectableProperties): ReadonlyArray<SelectOption> =>
  properties.slice(0, SCOPE_CHOICES_MAX).map(({ id, name }) => ({ value: id, label: name }))

export const truncationNote = (properties: SelectableProperties): Html =>
  properties.length > SCOPE_CHOICES_MAX
    ? html`<p class="soft">Only the first ${SCOPE_CHOICES_MAX} names are listed.</p>
`
    : nothing

export const secretUrlHtml = (url: string): Html => html`<code class="secret">${url}</code>
`

export const oneTimeNotice = (text: string, details: Html): OneTimeContent => ({
  _tag: "Told",
  html: html`<div class="message done" role="status"><p>${text}</p>
${details}</div>
`
})

const decodeFeed = Schema.decodeUnknownSync(create_property_feed.successSchema)

/** Creates a property's feed, or returns the existing one. Always creates a new house calendar. */
export const makeCreateFeed = (service: Service["Service"]) => {
  const mutate = makeMutation(service)
  return (
    visit: SignedInVisit,
    form: SubmittedForm,
    fields: Schema.JsonObject & { readonly property_id: number }
  ): Effect.Effect<PropertyFeed, ActionError> =>
    Effect.map(mutate(visit, form, "create_property_feed", fields), (data) => decodeFeed(data))
}
