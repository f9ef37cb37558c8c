import type { Caller } from "../../src/contract/caller.ts"

/** Somebody who works in the console, as the API sees them. */
export const toConsoleCaller = (
  account: Pick<Caller, "operatorId" | "accountId" | "role"> & Partial<Caller>
): Caller => ({
  accountName: "Owner",
  tokenId: 0,
  tokenName: "console",
  application: null,
  grantId: null,
  scope: "writable",
  timeZone: "Europe/Berlin",
  currency: "EUR",
  edition: "pro",
  ...account
})
