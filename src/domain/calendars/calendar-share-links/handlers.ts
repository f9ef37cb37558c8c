import { Effect, Layer, Result } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond, instantText } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { linkToken } from "../../../platform/sealing/places.ts"
import { openedOrTold, Sealing, type Seals } from "../../../platform/sealing/Sealing.ts"
import { opened } from "../../../platform/sealing/sealed-text.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { noSuchProperties } from "../../properties/properties/belonging.ts"
import { addressOf, newToken } from "./address.ts"
import {
  type CalendarShareLink,
  CalendarShareLinks,
  type create_calendar_share_link,
  type delete_calendar_share_link,
  type search_calendar_share_links
} from "./contract.ts"
import { namedProperties } from "./rules.ts"
import { LinkRow, ShareLinkStore } from "./store.ts"

/** `opened`: its token, where that opens. */
const shown = (
  publicUrl: string,
  { token, created_at, ...link }: LinkRow,
  opened: string | undefined
): CalendarShareLink => ({
  ...link,
  url: addressOf(publicUrl, opened),
  created_at: instantText(created_at)
})

const searchLinks = (store: ShareLinkStore["Service"], publicUrl: string, seals: Seals) =>
  Effect.fnUntraced(function* (payload: typeof search_calendar_share_links.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    const calendar_share_links = yield* Effect.forEach(found.rows, (link) =>
      Effect.map(openedOrTold(seals, linkToken(operatorId, link.id), link.token), (token) =>
        shown(publicUrl, link, token)
      )
    )
    return { calendar_share_links, total: found.total }
  })

const createLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof create_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const property_ids = yield* Effect.fromResult(namedProperties(payload))
    const link = { token: newToken(), property_ids, created_at: yield* currentSecond }
    if (payload.scope === "entire") return yield* store.entire(operatorId, link)
    const { id, token, unknown_properties } = yield* store.partial(operatorId, link)
    return id === null ? yield* noSuchProperties(unknown_properties) : { id, scope: payload.scope, ...link, token }
  })

const deleteLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* noSuchLink : undefined
  })

const noSuchLink = new NotFound({ message: "id: no such calendar share link." })

export const layerCalendarShareLinks = layerHandled(
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const [publicUrl, seals] = [yield* PublicUrl, yield* Sealing]
    return handled(CalendarShareLinks, {
      search_calendar_share_links: searchLinks(store, publicUrl, seals),
      // The link to everything may be an old one, or a repeat's, whose key is lost by now.
      create_calendar_share_link: change(createLink(store), LinkRow, (link, _payload, { operatorId }) => ({
        calendar_share_link: shown(
          publicUrl,
          link,
          Result.getOrUndefined(opened(seals.keys, linkToken(operatorId, link.id), link.token))
        )
      })),
      delete_calendar_share_link: done(deleteLink(store))
    })
  })
).pipe(Layer.provide(ShareLinkStore.layer))
