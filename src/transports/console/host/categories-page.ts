import { Effect, type Schema } from "effect"
import { search_reservation_tags } from "../../../domain/bookings/reservation-tags/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { type Category, list_categories } from "../../../domain/money/category-contract.ts"
import { RESERVATION_TAGS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { parseRecordId } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { channelsSection, dictionarySections, reservationTagsSection } from "./categories/category-lists.ts"
import { entryView, isDictionary } from "./categories/entry-view.ts"
import { parseText, readChangedFields, reverseChangedFields } from "./form-values.ts"
import {
  type ActionRedirect,
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView
} from "./host-page.ts"
import type { UndoForm } from "./notice.ts"
import { link, readOffsetParam } from "./page-parts.ts"
import { readEditTarget } from "./property-selection.ts"
import { CATEGORIES_PATH } from "./urls.ts"

export const makeCategoriesPage = Effect.gen(function* () {
  const service = yield* Service
  const [queryCategories, mutate] = [makeQuery(service, list_categories), makeVoidMutation(service)]
  const renderLists = makeListsRenderer(queryCategories, service)
  return makeHostPage({
    path: CATEGORIES_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined
        ? renderLists(visit, failedSubmission)
        : makeEntryRenderer(queryCategories)(visit, editTarget, failedSubmission)
    },
    actions: { ...makeEntryActions(mutate), ...makeReservationTagActions(mutate) }
  })
})

const TITLE = "Categories & tags"

type CategoriesQuery = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<{ readonly categories: ReadonlyArray<Category> }, ActionError>

const makeListsRenderer = (queryCategories: CategoriesQuery, service: Service["Service"]) => {
  const [queryTags, queryChannels] = [
    makeQuery(service, search_reservation_tags),
    makeQuery(service, query_custom_channels)
  ]
  return Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const { categories } = yield* queryCategories(visit, {})
    const tagPage = yield* queryTags(visit, { limit: RESERVATION_TAGS_SHOWN, offset: readOffsetParam(visit, "tags") })
    const { custom_channels } = yield* queryChannels(visit, {})
    const view: HostView = {
      title: TITLE,
      body: html`<div class="columns">${dictionarySections(visit, categories, failedSubmission)}</div>${reservationTagsSection(visit, tagPage, failedSubmission)}${channelsSection(custom_channels)}`
    }
    return view
  })
}

const makeEntryRenderer =
  (queryCategories: CategoriesQuery) =>
  (
    visit: SignedInVisit,
    { kind, id }: { readonly kind: string; readonly id: number | undefined },
    failedSubmission?: FailedSubmission
  ) =>
    Effect.map(queryCategories(visit, {}), ({ categories }): HostView => {
      const category = categories.find((each) => each.dictionary === kind && each.id === id)
      return category === undefined
        ? notFoundView(
            TITLE,
            "There is no such category.",
            html`<p>${link(CATEGORIES_PATH, "Back to categories & tags")}</p>`
          )
        : entryView(visit, category, failedSubmission)
    })

const BACK_TO_CATEGORIES: ActionRedirect = { _tag: "GoOn", url: CATEGORIES_PATH }

const entryNotFoundError = makeActionError(404, "There is no such category.")

const readEntryKey = (form: SubmittedForm) => ({
  dictionary: form.get("dictionary") ?? "",
  id: parseRecordId(form.get("id")) ?? 0
})

const readName = (form: SubmittedForm): string => form.get("name") ?? ""

/** The fields of an undo form for the category. */
const entryKeyFields = ({ dictionary, id }: ReturnType<typeof readEntryKey>) => ({ dictionary, id: String(id) })

const backWithUndo = (text: string, undo: UndoForm): ActionRedirect => ({
  ...BACK_TO_CATEGORIES,
  notice: { text, undo }
})

type VoidMutation = ReturnType<typeof makeVoidMutation>

const makeEntryActions = (mutate: VoidMutation): Readonly<Record<string, HostAction>> => {
  const requireEntryKey = (form: SubmittedForm) => {
    const key = readEntryKey(form)
    return isDictionary(key.dictionary) && key.id !== 0 ? Effect.succeed(key) : Effect.fail(entryNotFoundError)
  }
  const makeRetirement = (isRetired: boolean, doneMessage: string, undoAction: string): HostAction => ({
    doneMessage,
    run: Effect.fnUntraced(function* (visit, form) {
      const key = yield* requireEntryKey(form)
      yield* mutate(visit, form, "update_category", { ...key, is_retired: isRetired })
      return backWithUndo(doneMessage, { action: undoAction, fields: entryKeyFields(key) })
    })
  })
  return {
    add_entry: {
      doneMessage: "Added.",
      run: (visit, form) => {
        const { dictionary } = readEntryKey(form)
        return isDictionary(dictionary)
          ? mutate(visit, form, "create_category", { dictionary, name: readName(form) })
          : Effect.fail(entryNotFoundError)
      }
    },
    rename_entry: {
      doneMessage: "Renamed everywhere.",
      run: Effect.fnUntraced(function* (visit, form) {
        const key = yield* requireEntryKey(form)
        if (readChangedFields(form, { name: parseText })["name"] === undefined) return BACK_TO_CATEGORIES
        yield* mutate(visit, form, "update_category", { ...key, name: readName(form) })
        const formerName = reverseChangedFields(form, ["name"])
        const fields = { ...entryKeyFields(key), ...formerName }
        return backWithUndo("Renamed everywhere.", { action: "rename_entry", fields })
      })
    },
    retire_entry: makeRetirement(
      true,
      "Retired. Existing entries keep it, and new ones cannot use it.",
      "restore_entry"
    ),
    restore_entry: makeRetirement(false, "Restored.", "retire_entry")
  }
}

const makeReservationTagActions = (mutate: VoidMutation): Readonly<Record<string, HostAction>> => ({
  add_tag: {
    doneMessage: "Tag added.",
    run: (visit, form) =>
      mutate(visit, form, "create_reservation_tag", { tag_name: (form.get("tag_name") ?? "").trim() })
  },
  delete_tag: {
    doneMessage: "Tag deleted and removed from all reservations.",
    run: (visit, form) => {
      const id = Number(form.get("id"))
      return mutate(visit, form, "delete_reservation_tag", {
        id: Number.isSafeInteger(id) ? id : (form.get("id") ?? "")
      })
    }
  }
})
