import { Effect, Schema } from "effect"
import type { ApiError } from "../../../contract/errors.ts"
import { search_reservation_tags } from "../../../domain/bookings/reservation-tags/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { DictionaryName } from "../../../domain/money/dictionaries.ts"
import { OperatorDictionaries } from "../../../domain/money/OperatorDictionaries.ts"
import { RESERVATION_TAGS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { parseRecordId } from "../visit.ts"
import { apiErrorToActionError, makeQuery, makeVoidMutation } from "./api-operations.ts"
import { channelsSection, dictionarySections, reservationTagsSection } from "./categories/category-lists.ts"
import { entryView, isDictionary } from "./categories/entry-view.ts"
import { parseText, readChangedFields } from "./form-fields.ts"
import {
  type ActionRedirect,
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView
} from "./host-page.ts"
import { link, readOffsetParam } from "./page-parts.ts"
import { readEditTarget } from "./property-selection.ts"
import { CATEGORIES_PATH } from "./urls.ts"

/** The words of an account: what money is booked under, how it comes and goes, and what reservations are tagged with. */
export const makeCategoriesPage = Effect.gen(function* () {
  const [dictionaries, service] = [yield* OperatorDictionaries, yield* Service]
  const renderLists = makeListsRenderer(dictionaries, service)
  return makeHostPage({
    path: CATEGORIES_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined
        ? renderLists(visit, failedSubmission)
        : makeEntryRenderer(dictionaries)(visit, editTarget, failedSubmission)
    },
    actions: { ...makeEntryActions(dictionaries), ...makeReservationTagActions(makeVoidMutation(service)) }
  })
})

const TITLE = "Words"

const makeListsRenderer = (dictionaries: OperatorDictionaries["Service"], service: Service["Service"]) => {
  const [queryTags, queryChannels] = [
    makeQuery(service, search_reservation_tags),
    makeQuery(service, query_custom_channels)
  ]
  return Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const ownDictionaries = yield* Effect.mapError(
      dictionaries.list(visit.session.person.caller.operatorId),
      apiErrorToActionError
    )
    const tagPage = yield* queryTags(visit, { limit: RESERVATION_TAGS_SHOWN, offset: readOffsetParam(visit, "tags") })
    const { custom_channels } = yield* queryChannels(visit, {})
    const view: HostView = {
      title: TITLE,
      body: html`${dictionarySections(visit, ownDictionaries, failedSubmission)}${reservationTagsSection(visit, tagPage, failedSubmission)}${channelsSection(custom_channels)}`
    }
    return view
  })
}

/** One entry, with what can be done to it. */
const makeEntryRenderer =
  (dictionaries: OperatorDictionaries["Service"]) =>
  (
    visit: SignedInVisit,
    { kind, id }: { readonly kind: string; readonly id: number | undefined },
    failedSubmission?: FailedSubmission
  ) =>
    Effect.map(
      Effect.mapError(dictionaries.list(visit.session.person.caller.operatorId), apiErrorToActionError),
      (dictionaryEntries): HostView => {
        const dictionaryEntry = isDictionary(kind) ? dictionaryEntries[kind].find((each) => each.id === id) : undefined
        if (dictionaryEntry !== undefined && isDictionary(kind))
          return entryView(visit, kind, dictionaryEntry, failedSubmission)
        return notFoundView(TITLE, "There is no such entry.", html`<p>${link(CATEGORIES_PATH, "All words")}</p>`)
      }
    )

const BACK_TO_CATEGORIES: ActionRedirect = { _tag: "GoOn", url: CATEGORIES_PATH }

const decodeDictionary = Schema.decodeUnknownOption(DictionaryName)
const noSuchEntryError = makeActionError(404, "There is no such entry.")

/** The dictionary that a form names. */
const requireDictionary = (form: SubmittedForm) =>
  Effect.mapError(Effect.fromOption(decodeDictionary(form.get("dictionary"))), () => noSuchEntryError)

const requireEntryId = (form: SubmittedForm) => {
  const id = parseRecordId(form.get("id"))
  return id === undefined ? Effect.fail(noSuchEntryError) : Effect.succeed(id)
}

const readName = (form: SubmittedForm): string => form.get("name") ?? ""

const makeEntryActions = (dictionaries: OperatorDictionaries["Service"]): Readonly<Record<string, HostAction>> => ({
  add_entry: {
    doneMessage: "The entry is added.",
    run: Effect.fnUntraced(function* (visit, form) {
      const dictionary = yield* requireDictionary(form)
      const { operatorId } = visit.session.person.caller
      yield* Effect.mapError(dictionaries.addEntry(operatorId, dictionary, readName(form)), apiErrorToActionError)
      return undefined
    })
  },
  rename_entry: makeEntryAction("The entry has its name, wherever it is shown.", (operatorId, dictionary, id, form) =>
    readChangedFields(form, { name: parseText })["name"] === undefined
      ? Effect.void
      : dictionaries.renameEntry(operatorId, dictionary, id, readName(form))
  ),
  retire_entry: makeEntryAction(
    "The entry is retired: nothing new is entered under it, and what is there keeps it.",
    dictionaries.retireEntry
  ),
  restore_entry: makeEntryAction("The entry can be chosen again.", dictionaries.restoreEntry)
})

const makeEntryAction = <R>(
  message: string,
  updateEntry: (
    operatorId: number,
    dictionary: DictionaryName,
    id: number,
    form: SubmittedForm
  ) => Effect.Effect<unknown, ApiError, R>
) => ({
  doneMessage: message,
  run: Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const dictionary = yield* requireDictionary(form)
    const id = yield* requireEntryId(form)
    yield* Effect.mapError(
      updateEntry(visit.session.person.caller.operatorId, dictionary, id, form),
      apiErrorToActionError
    )
    return BACK_TO_CATEGORIES
  })
})

const makeReservationTagActions = (
  mutate: ReturnType<typeof makeVoidMutation>
): Readonly<Record<string, HostAction>> => ({
  add_tag: {
    doneMessage: "The tag is added.",
    run: (visit, form) =>
      mutate(visit, form, "create_reservation_tag", { tag_name: (form.get("tag_name") ?? "").trim() })
  },
  delete_tag: {
    doneMessage: "The tag is deleted and taken off all reservations.",
    run: (visit, form) => {
      const id = Number(form.get("id"))
      return mutate(visit, form, "delete_reservation_tag", {
        id: Number.isSafeInteger(id) ? id : (form.get("id") ?? "")
      })
    }
  }
})
