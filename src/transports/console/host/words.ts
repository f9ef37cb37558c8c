import { Effect, Schema } from "effect"
import type { ApiError } from "../../../contract/errors.ts"
import { search_reservation_tags } from "../../../domain/bookings/reservation-tags/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { Dictionary } from "../../../domain/money/dictionaries.ts"
import { OwnDictionaries } from "../../../domain/money/OwnDictionaries.ts"
import { RESERVATION_TAGS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { idOf } from "../id.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { WORDS_PATH } from "./addresses.ts"
import { doing, reading, refusedAs } from "./asking.ts"
import { changeIn } from "./choosing.ts"
import { asText, touchedIn } from "./fields.ts"
import { type GoOn, type HostAct, type HostView, hostPage, type NotTaken, notThere, refusal } from "./page.ts"
import { link, offsetIn } from "./parts.ts"
import { entryView, isDictionary } from "./words/entry.ts"
import { channelsPart, dictionariesPart, tagsPart } from "./words/lists.ts"

/** The words of an account: what money is booked under, how it comes and goes, and what reservations are tagged with. */
export const makeWordsPage = Effect.gen(function* () {
  const [dictionaries, service] = [yield* OwnDictionaries, yield* Service]
  const lists = listing(dictionaries, service)
  return hostPage({
    path: WORDS_PATH,
    show: (visit, notTaken) => {
      const change = changeIn(visit)
      return change === undefined ? lists(visit, notTaken) : entry(dictionaries)(visit, change, notTaken)
    },
    acts: { ...entryActs(dictionaries), ...tagActs(doing(service)) }
  })
})

const TITLE = "Words"

const listing = (dictionaries: OwnDictionaries["Service"], service: Service["Service"]) => {
  const [tags, channels] = [reading(service, search_reservation_tags), reading(service, query_custom_channels)]
  return Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
    const own = yield* Effect.mapError(dictionaries.list(visit.session.person.caller.operatorId), refusedAs)
    const tagged = yield* tags(visit, { limit: RESERVATION_TAGS_SHOWN, offset: offsetIn(visit, "tags") })
    const { custom_channels } = yield* channels(visit, {})
    const view: HostView = {
      title: TITLE,
      body: html`${dictionariesPart(visit, own, notTaken)}${tagsPart(visit, tagged, notTaken)}${channelsPart(custom_channels)}`
    }
    return view
  })
}

/** One entry, with what can be done to it. */
const entry =
  (dictionaries: OwnDictionaries["Service"]) =>
  (
    visit: SignedInVisit,
    { kind, id }: { readonly kind: string; readonly id: number | undefined },
    notTaken?: NotTaken
  ) =>
    Effect.map(
      Effect.mapError(dictionaries.list(visit.session.person.caller.operatorId), refusedAs),
      (own): HostView => {
        const found = isDictionary(kind) ? own[kind].find((each) => each.id === id) : undefined
        if (found !== undefined && isDictionary(kind)) return entryView(visit, kind, found, notTaken)
        return notThere(TITLE, "There is no such entry.", html`<p>${link(WORDS_PATH, "All words")}</p>`)
      }
    )

const BACK: GoOn = { _tag: "GoOn", to: WORDS_PATH }

const readDictionary = Schema.decodeUnknownOption(Dictionary)
const noSuchEntry = refusal(404, "There is no such entry.")

/** The dictionary that a form names. */
const dictionaryIn = (form: Form) =>
  Effect.mapError(Effect.fromOption(readDictionary(form.get("dictionary"))), () => noSuchEntry)

const entryIn = (form: Form) => {
  const id = idOf(form.get("id"))
  return id === undefined ? Effect.fail(noSuchEntry) : Effect.succeed(id)
}

const nameIn = (form: Form): string => form.get("name") ?? ""

const entryActs = (dictionaries: OwnDictionaries["Service"]): Readonly<Record<string, HostAct>> => ({
  add_entry: {
    done: "The entry is added.",
    run: Effect.fnUntraced(function* (visit, form) {
      const dictionary = yield* dictionaryIn(form)
      const { operatorId } = visit.session.person.caller
      yield* Effect.mapError(dictionaries.add(operatorId, dictionary, nameIn(form)), refusedAs)
      return undefined
    })
  },
  rename_entry: changing("The entry has its name, wherever it is shown.", (operatorId, dictionary, id, form) =>
    touchedIn(form, { name: asText })["name"] === undefined
      ? Effect.void
      : dictionaries.rename(operatorId, dictionary, id, nameIn(form))
  ),
  retire_entry: changing(
    "The entry is retired: nothing new is entered under it, and what is there keeps it.",
    dictionaries.retire
  ),
  restore_entry: changing("The entry can be chosen again.", dictionaries.restore)
})

const changing = <R>(
  done: string,
  change: (operatorId: number, dictionary: Dictionary, id: number, form: Form) => Effect.Effect<unknown, ApiError, R>
) => ({
  done,
  run: Effect.fnUntraced(function* (visit: SignedInVisit, form: Form) {
    const dictionary = yield* dictionaryIn(form)
    const id = yield* entryIn(form)
    yield* Effect.mapError(change(visit.session.person.caller.operatorId, dictionary, id, form), refusedAs)
    return BACK
  })
})

const tagActs = (act: ReturnType<typeof doing>): Readonly<Record<string, HostAct>> => ({
  add_tag: {
    done: "The tag is added.",
    run: (visit, form) => act(visit, form, "create_reservation_tag", { tag_name: (form.get("tag_name") ?? "").trim() })
  },
  delete_tag: {
    done: "The tag is deleted and taken off all reservations.",
    run: (visit, form) => {
      const id = Number(form.get("id"))
      return act(visit, form, "delete_reservation_tag", { id: Number.isSafeInteger(id) ? id : (form.get("id") ?? "") })
    }
  }
})
