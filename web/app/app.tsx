import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode } from 'react'
import { queryClient } from '../api/query.ts'
import { resolveVariables, theme } from './theme/theme.ts'

interface AppProps {
  readonly router: AnyRouter
  /** The nonce of the content security policy, for style elements that Mantine adds. */
  readonly nonce: string
  /** Elements that every page has on top, such as notifications. */
  readonly children?: ReactNode
}

export const App = ({ router, nonce, children }: AppProps) => (
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        {children}
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
