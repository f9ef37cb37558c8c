import { Effect, Result } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, formatUtcInstant } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { linkTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { openStoredText } from "../../../platform/sealing/sealed-text.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { toUnknownPropertiesError } from "../../properties/properties/ownership.ts"
import {
  type CalendarShareLink,
  CalendarShareLinkOperations,
  type create_calendar_share_link,
  type delete_calendar_share_link,
  type search_calendar_share_links
} from "./contract.ts"
import { parseLinkPropertyIds } from "./rules.ts"
import { newShareLinkToken, shareLinkUrl } from "./share-link-url.ts"
import { ShareLinkRow, ShareLinkStore } from "./store.ts"

const toCalendarShareLink = (
  publicUrl: string,
  { token, created_at, ...link }: ShareLinkRow,
  plainToken: string | undefined
): CalendarShareLink => ({
  ...link,
  url: shareLinkUrl(publicUrl, plainToken),
  created_at: formatUtcInstant(created_at)
})

const searchLinks = (store: ShareLinkStore["Service"], publicUrl: string, seals: SecretSealer) =>
  Effect.fnUntraced(function* (payload: typeof search_calendar_share_links.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    const calendar_share_links = yield* Effect.forEach(page.rows, (link) =>
      Effect.map(openOrWarn(seals, linkTokenBinding(operatorId, link.id), link.token), (token) =>
        toCalendarShareLink(publicUrl, link, token)
      )
    )
    return { calendar_share_links, total: page.total }
  })

const createLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof create_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const property_ids = yield* Effect.fromResult(parseLinkPropertyIds(payload))
    const link = { token: newShareLinkToken(), property_ids, created_at: yield* currentSecond }
    if (payload.scope === "entire") return yield* store.createEntire(operatorId, link)
    const { id, token, unknown_properties } = yield* store.createPartial(operatorId, link)
    return id === null
      ? yield* toUnknownPropertiesError(unknown_properties)
      : { id, scope: payload.scope, ...link, token }
  })

const deleteLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const deletedLink = yield* store.remove(operatorId, payload.id)
    return deletedLink === undefined ? yield* shareLinkNotFoundError : undefined
  })

const shareLinkNotFoundError = new NotFound({ message: "id: no such calendar share link." })

export const layerCalendarShareLinks = layerOperations(
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const [publicUrl, seals] = [yield* PublicUrl, yield* CurrentSealer]
    return handleOperations(CalendarShareLinkOperations, {
      search_calendar_share_links: searchLinks(store, publicUrl, seals),
      // The row may be from an earlier call. So the `SECRET_KEY` that encrypted its token may be lost.
      create_calendar_share_link: changeHandler(createLink(store), ShareLinkRow, (link, _payload, { operatorId }) => ({
        calendar_share_link: toCalendarShareLink(
          publicUrl,
          link,
          Result.getOrUndefined(openStoredText(seals.keys, linkTokenBinding(operatorId, link.id), link.token))
        )
      })),
      delete_calendar_share_link: voidChangeHandler(deleteLink(store))
    })
  })
)
