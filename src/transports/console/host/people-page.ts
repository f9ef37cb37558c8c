import { Effect } from "effect"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { Accounts } from "../queries/Accounts.ts"
import { StaffDirectory } from "../queries/StaffDirectory.ts"
import { makeSudo, type Sudo } from "../sudo.ts"
import type { SignedInVisit } from "../visit.ts"
import { type FailedSubmission, type HostView, makeHostPage, notFoundView } from "./host-page.ts"
import { link, readOffsetParam, timeZoneNote } from "./page-parts.ts"
import { accountView } from "./people/account-view.ts"
import { makeAccountActions, makeStaffActions } from "./people/people-actions.ts"
import { accountsSection, mainAccountOnlySection, staffSection } from "./people/people-lists.ts"
import { staffView } from "./people/staff-view.ts"
import { type EditTarget, readEditTarget, readTitleQuery } from "./property-selection.ts"
import { PEOPLE_PATH } from "./urls.ts"

/** Who works here: sub-accounts, which sign in, for the main account alone; and staff, who are given tasks. */
export const makePeoplePage = Effect.gen(function* () {
  const [accounts, staff, sudo] = [yield* Accounts, yield* StaffDirectory, yield* makeSudo]
  const service = yield* Service
  const renderLists = makeListsRenderer(accounts, staff, sudo)
  const renderForm = makeFormRenderer(accounts, staff, sudo)
  return makeHostPage({
    path: PEOPLE_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined
        ? renderLists(visit, failedSubmission)
        : renderForm(visit, editTarget, failedSubmission)
    },
    actions: { ...makeAccountActions(service, sudo), ...makeStaffActions(service) }
  })
})

const isMainAccount = ({ session }: SignedInVisit): boolean => session.person.caller.role === "main"

const makeListsRenderer = (accounts: Accounts["Service"], staff: StaffDirectory["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const { caller } = visit.session.person
    const staffPage = yield* staff.list(caller.operatorId, readOffsetParam(visit, "staff"))
    const accountsHtml = isMainAccount(visit)
      ? accountsSection(
          visit,
          yield* accounts.list(caller.operatorId),
          yield* sudo.renderPasswordField(visit),
          failedSubmission
        )
      : mainAccountOnlySection
    const view: HostView = {
      title: "People",
      body: html`${accountsHtml}${staffSection(visit, staffPage)}${timeZoneNote(visit)}`
    }
    return view
  })

const makeFormRenderer = (accounts: Accounts["Service"], staff: StaffDirectory["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, { kind, id }: EditTarget, failedSubmission?: FailedSubmission) {
    const { caller } = visit.session.person
    if (kind === "staff") {
      const staffForm = yield* staff.form({ operatorId: caller.operatorId, id, q: readTitleQuery(visit) })
      return id === undefined || staffForm.it !== null
        ? staffView(visit, staffForm, failedSubmission)
        : personNotFoundView("There is no such staff member.")
    }
    if (kind !== "account" || id === undefined || !isMainAccount(visit))
      return personNotFoundView("There is nobody of that kind to change.")
    const allAccounts = yield* accounts.list(caller.operatorId)
    const subAccount = allAccounts.find((each) => each.id === id && each.role === "sub")
    return subAccount === undefined
      ? personNotFoundView("There is no such sub-account.")
      : accountView(visit, subAccount, yield* sudo.renderPasswordField(visit))
  })

const personNotFoundView = (message: string): HostView =>
  notFoundView("People", message, html`<p>${link(PEOPLE_PATH, "All people")}</p>`)
