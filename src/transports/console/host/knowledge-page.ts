import { Clock, Effect, type Schema } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import {
  ask_knowledge_base,
  get_knowledge_base,
  type KnowledgeBase,
  search_knowledge_bases
} from "../../../domain/knowledge/contract.ts"
import { KNOWLEDGE_SHOWN, QUESTION_LENGTH } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { type KnowledgeScopeChoices, KnowledgeScopes, type KnowledgeTestStays } from "../queries/KnowledgeScopes.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { actionForm, disclosure, type FieldFiller, input, queryForm } from "./form-fields.ts"
import { parseNumber } from "./form-values.ts"
import {
  type ActionRedirect,
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView,
  readSubmittedAction
} from "./host-page.ts"
import {
  ADD_ENTRY_ACTION,
  CHANGE_ENTRY_ACTION,
  entryForm,
  isUnchangedOrApplied,
  type KnowledgeEntryDetail,
  readEntry
} from "./knowledge/entry-form.ts"
import { PROCESS_STATUS_BADGES, scopeText } from "./knowledge/scope-text.ts"
import {
  activityLogLink,
  badge,
  buttonLink,
  link,
  pagination,
  readIdParam,
  readOffsetParam,
  section,
  table
} from "./page-parts.ts"
import { readTestStayCode, testStayFields } from "./test-stay-fields.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH } from "./urls.ts"

export const makeKnowledgePage = Effect.gen(function* () {
  const [scopes, service] = [yield* KnowledgeScopes, yield* Service]
  const [queryEntry, mutate] = [makeQuery(service, get_knowledge_base), makeVoidMutation(service)]
  const readEntryId = (form: SubmittedForm) => parseNumber(form.get("id") ?? "")

  const makeEntrySwitch = (is_enable: boolean, doneMessage: string, undoAction: string): HostAction => ({
    doneMessage,
    run: Effect.fnUntraced(function* (visit, form) {
      const { knowledge_base } = yield* queryEntry(visit, { id: readEntryId(form) })
      const { process_status: _processStatus, ...entry } = knowledge_base
      yield* mutate(visit, form, "update_knowledge_base", { ...entry, is_enable })
      const undo = { action: undoAction, fields: { id: String(entry.id) } }
      const redirect: ActionRedirect = {
        ...BACK_TO_LIST,
        notice: { text: `${entryTitle(entry)}: ${doneMessage}`, undo }
      }
      return redirect
    })
  })

  const replaceEntry: HostAction["run"] = Effect.fnUntraced(function* (visit, form) {
    const { knowledge_base: entry } = yield* queryEntry(visit, { id: readEntryId(form) })
    if (!isUnchangedOrApplied(entry, form)) return yield* Effect.fail(entryChangedError)
    return yield* mutate(visit, form, "update_knowledge_base", { id: entry.id, ...readEntry(form) })
  })

  const [renderList, renderEntry] = [
    makeListRenderer(scopes, makeQuery(service, search_knowledge_bases)),
    makeEntryRenderer(scopes, queryEntry)
  ]
  const renderTestQuestion = makeTestQuestionRenderer(scopes, makeQuery(service, ask_knowledge_base))
  return makeHostPage({
    path: KNOWLEDGE_PATH,
    show: (visit, failedSubmission) => {
      const id = readIdParam(visit, "change")
      if (id !== undefined) return renderEntry(visit, id, failedSubmission)
      return visit.query.has("ask") ? renderTestQuestion(visit) : renderList(visit, failedSubmission)
    },
    actions: {
      [ADD_ENTRY_ACTION]: {
        doneMessage: "Article added. Guests are answered from it as soon as it is indexed, in a few seconds.",
        run: (visit, form) => Effect.as(mutate(visit, form, "create_knowledge_base", readEntry(form)), BACK_TO_LIST)
      },
      [CHANGE_ENTRY_ACTION]: {
        doneMessage: "Article saved.",
        run: replaceEntry
      },
      switch_on: makeEntrySwitch(true, "Switched on.", "switch_off"),
      switch_off: makeEntrySwitch(false, "Switched off.", "switch_on"),
      delete_entry: {
        doneMessage: "Article deleted.",
        run: (visit, form) => mutate(visit, form, "delete_knowledge_base", { id: readEntryId(form) })
      }
    }
  })
})

type EntryQuery<A> = (visit: SignedInVisit, fields: Schema.JsonObject) => Effect.Effect<A, ActionError>
type EntriesSearch = EntryQuery<{ readonly knowledge_bases: ReadonlyArray<KnowledgeEntry>; readonly total: number }>

const makeListRenderer = (scopes: KnowledgeScopes["Service"], search: EntriesSearch) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const offset = readOffsetParam(visit)
    const results = yield* search(visit, { offset, limit: KNOWLEDGE_SHOWN })
    const scopeChoices = yield* scopes.of
    const isRestored = failedSubmission !== undefined && readSubmittedAction(failedSubmission) === ADD_ENTRY_ACTION
    const newEntryForm = disclosure(
      "Add article",
      entryForm(visit, { scopes: scopeChoices, failedSubmission }),
      isRestored || visit.query.has(ADD_FIELD)
    )
    const view: HostView = {
      title: "Knowledge base (AI answers)",
      primaryAction: buttonLink(ADD_URL, "Add article"),
      body: html`<p class="soft">Guests' questions are answered with sentences of these articles, if a ${link(AUTOMATION_PATH, "rule")} is active. ${link(`${KNOWLEDGE_PATH}?ask=`, "Test a question")}</p>
${entriesTable(visit, results.knowledge_bases, scopeChoices)}${pagination(visit, { offset, limit: KNOWLEDGE_SHOWN, total: results.total })}${section("New article", newEntryForm, "new")}`
    }
    return view
  })

const makeEntryRenderer = (
  scopes: KnowledgeScopes["Service"],
  queryEntry: EntryQuery<{ readonly knowledge_base: KnowledgeEntryDetail }>
) => {
  const renderEntry = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: number,
    failedSubmission?: FailedSubmission
  ) {
    const { knowledge_base: entry } = yield* queryEntry(visit, { id })
    const scopeChoices = yield* scopes.of
    const form = entryForm(visit, { scopes: scopeChoices, entry, failedSubmission })
    return toView(
      entryTitle(entry),
      html`${BACK_LINK}${section(
        "Article",
        html`<p>${processStatusBadge(entry.process_status)}</p>
${form}`
      )}${activityLogLink(`knowledge_base:${entry.id}`)}`
    )
  })
  return (visit: SignedInVisit, id: number, failedSubmission?: FailedSubmission) =>
    Effect.catchIf(
      renderEntry(visit, id, failedSubmission),
      ({ status }) => status === 404,
      () => Effect.succeed(entryNotFoundView)
    )
}

type AnswerSentence = (typeof ask_knowledge_base.successSchema.Type)["sentences"][number]

const makeTestQuestionRenderer = (
  scopes: KnowledgeScopes["Service"],
  ask: EntryQuery<{ readonly sentences: ReadonlyArray<AnswerSentence> }>
) =>
  Effect.fnUntraced(function* (visit: SignedInVisit) {
    const question = (visit.query.get("ask") ?? "").slice(0, QUESTION_LENGTH)
    const code = readTestStayCode(visit)
    const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
    const testStays = yield* scopes.trial(today, code)
    const isQuestionAsked = question.trim() !== "" && testStays.is_known
    const answerHtml = isQuestionAsked
      ? answerResult((yield* ask(visit, { question, ...(code === undefined ? {} : { stay_code: code }) })).sentences)
      : nothing
    return toView(
      "Test a question",
      html`${BACK_LINK}${section("Question", html`${testQuestionForm(visit, testStays)}${answerHtml}${testStays.is_known ? nothing : NO_STAY_MESSAGE}`)}`
    )
  })

const toView = (title: string, body: Html): HostView => ({ title, body })

const BACK_TO_LIST: ActionRedirect = { _tag: "GoOn", url: KNOWLEDGE_PATH }

/** Opens the form of a new article. */
const ADD_FIELD = "add"
const ADD_URL = `${KNOWLEDGE_PATH}?${ADD_FIELD}=1#new`

const BACK_LINK = html`<p>${link(KNOWLEDGE_PATH, "All articles")}</p>
`

const processStatusBadge = (status: KnowledgeEntry["process_status"]): Html => {
  const [label, kind] = PROCESS_STATUS_BADGES[status]
  return badge(label, kind)
}

const entryNotFoundView = notFoundView("There is no such article", "It may have been deleted.")

const entryChangedError = makeActionError(
  409,
  "Someone else has changed this article. Open it again and repeat your change."
)

type KnowledgeEntry = typeof KnowledgeBase.Type

const entriesTable = (
  visit: SignedInVisit,
  entries: ReadonlyArray<KnowledgeEntry>,
  scopes: KnowledgeScopeChoices
): Html =>
  section(
    "Articles",
    table(
      { empty: "No articles yet. Add one below, so that guests can be answered automatically." },
      [
        {
          label: "Article",
          cell: (entry) =>
            html`<span class="name">${link(`${KNOWLEDGE_PATH}?change=${entry.id}`, entryTitle(entry))}</span>`
        },
        { label: "For", cell: (entry) => scopeText(entry, scopes), onPhone: "detail" },
        { label: "Index", cell: ({ process_status }) => processStatusBadge(process_status), onPhone: "detail" },
        {
          label: "Status",
          cell: ({ is_enable }) => badge(is_enable ? "On" : "Off", is_enable ? "good" : "wait"),
          onPhone: "side"
        },
        { label: "Actions", cell: (entry) => entryActions(visit, entry), onPhone: "actions" }
      ],
      entries
    )
  )

const entryTitle = ({ id, title }: Pick<KnowledgeEntry, "id" | "title">): string =>
  title.trim() === "" ? `Article ${id}` : title

const entryActions = (visit: SignedInVisit, entry: KnowledgeEntry): Html => {
  const { id, is_enable } = entry
  const subject = entryTitle(entry)
  const switchForm = is_enable
    ? actionForm(visit, { action: "switch_off", label: "Switch off", subject, id, kind: "plain" })
    : actionForm(visit, { action: "switch_on", label: "Switch on", subject, id, kind: "plain" })
  const deleteForm = actionForm(visit, {
    action: "delete_entry",
    label: "Delete for good",
    subject,
    id,
    kind: "danger"
  })
  return html`<div class="acts">${switchForm}</div>${disclosure("Delete…", deleteForm)}`
}

const NO_STAY_MESSAGE = html`<p class="message error" role="alert">There is no such stay.</p>
`

const testQuestionForm = (visit: SignedInVisit, { stays }: KnowledgeTestStays): Html => {
  const fillField: FieldFiller = (name) => visit.query.get(name) ?? ""
  return queryForm(
    KNOWLEDGE_PATH,
    html`${input(fillField, { name: "ask", label: "Question", hint: "in any language", isRequired: true, maxlength: QUESTION_LENGTH })}${testStayFields(visit, stays, "A guest without a reservation")}`,
    "Show answer"
  )
}

const answerResult = (answerSentences: ReadonlyArray<AnswerSentence>): Html =>
  answerSentences.length === 0
    ? html`<div role="status"><p>${badge("No answer", "wait")} The question would wait for you. No indexed article that is on and meant for this guest answers it well enough.</p></div>
`
    : html`<div role="status"><p>${badge("Answer", "good")}</p>
<ul>
${answerSentences.map(
  ({ text, knowledge_base_id, title, sub_title }) =>
    html`<li>${text} <span class="soft">from ${link(`${KNOWLEDGE_PATH}?change=${knowledge_base_id}`, title === "" ? `article ${knowledge_base_id}` : title)}${sub_title === "" ? nothing : html`, ${sub_title}`}</span></li>
`
)}</ul></div>
`
