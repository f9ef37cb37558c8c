import { Context } from "effect"

// What operations must know of the place they run in. The defaults are the configuration's own; the process provides
// what its environment says.

/** The two deployments (specification, What the service does). */
export type DeploymentName = "international" | "regional"

/** Which of the two deployments this is (specification, What the service does). */
export const Deployment = Context.Reference<DeploymentName>("latchkey/platform/Deployment", {
  defaultValue: () => "international"
})

/** Where callers reach the service: an http or https address without a final slash. */
export const PublicUrl = Context.Reference<string>("latchkey/platform/PublicUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})

/** Whole days after check-out that images of identity documents are kept. */
export const IdentityImageRetentionDays = Context.Reference<number>("latchkey/platform/IdentityImageRetentionDays", {
  defaultValue: () => 30
})

/** Whether there is the public client that MCP users come with. */
export const PublicClientEnabled = Context.Reference<boolean>("latchkey/platform/PublicClientEnabled", {
  defaultValue: () => true
})

/** Whole days that something is kept; undefined: for good. */
export interface RetentionDays {
  /** After a message was sent or came. */
  readonly messages: number | undefined
  /** After an image was sent or came in a message. */
  readonly images: number | undefined
  /** After the last check-out of an order; then its guest is erased. */
  readonly orders: number | undefined
}

export const RetentionDays = Context.Reference<RetentionDays>("latchkey/platform/RetentionDays", {
  defaultValue: () => ({ messages: undefined, images: undefined, orders: undefined })
})
