let ask: (() => Promise<boolean>) | undefined

/** Registers the dialog that `confirmSignIn` opens, and returns a function that removes it. */
export function answerWith(dialog: () => Promise<boolean>): () => void {
  ask = dialog
  return () => {
    ask = undefined
  }
}

/**
 * Asks the person for their password, because an operation needs a recent sign-in. Resolves to false if the person
 * declines.
 */
export const confirmSignIn = (): Promise<boolean> => ask?.() ?? Promise.resolve(false)
