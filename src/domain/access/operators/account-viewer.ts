import type { Caller } from "../../../contract/caller.ts"

/** A main account sees the tokens and connections of all accounts, a sub-account only its own. */
export type AccountViewer = Pick<Caller, "operatorId" | "accountId" | "role">

/** Returns undefined if the viewer sees all accounts. */
export const visibleAccountOf = ({ role, accountId }: AccountViewer): number | undefined =>
  role === "main" ? undefined : accountId
