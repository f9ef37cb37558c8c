import { Context } from "effect"

// Settings of the installation that operations need.

export type DeploymentName = "international" | "regional"

/** The two deployments are in the specification, What the service does. */
export const Deployment = Context.Reference<DeploymentName>("latchkey/platform/Deployment", {
  defaultValue: () => "international"
})

/** An http or https URL without a final slash. */
export const PublicUrl = Context.Reference<string>("latchkey/platform/PublicUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})

/** Whole days after check-out. */
export const IdentityImageRetentionDays = Context.Reference<number>("latchkey/platform/IdentityImageRetentionDays", {
  defaultValue: () => 30
})

export const PublicClientEnabled = Context.Reference<boolean>("latchkey/platform/PublicClientEnabled", {
  defaultValue: () => true
})

/** In whole days. Undefined means no deletion. */
export interface RetentionDays {
  /** Counted from the time when the message was sent or received. */
  readonly messages: number | undefined
  /** For images in messages. Counted like messages. */
  readonly images: number | undefined
  /** Counted from the last check-out of an order. The guest of the order is then erased. */
  readonly orders: number | undefined
}

export const RetentionDays = Context.Reference<RetentionDays>("latchkey/platform/RetentionDays", {
  defaultValue: () => ({ messages: undefined, images: undefined, orders: undefined })
})
