import type { Caller } from "../../../contract/caller.ts"

/** The caller of a read of tokens or connections: a main account sees those of all accounts of its operator, a sub-account its own. */
export type AccountViewer = Pick<Caller, "operatorId" | "accountId" | "role">

/** Returns the account whose records a viewer sees, or undefined if the viewer sees those of all accounts. */
export const visibleAccountOf = ({ role, accountId }: AccountViewer): number | undefined =>
  role === "main" ? undefined : accountId
