import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../../parts/page-head.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { adminWords } from '../words.ts'

const { store: say } = adminWords

/** The top of the record store's pages. */
export const StoreHead = ({ action }: { readonly action?: ReactNode }) => (
  <>
    <PageHead title={say.title} lead={say.lead} action={action} />
    <Tabs label={say.tabs}>
      <Link to="/admin/record-store/statements" {...tab}>
        {say.statements}
      </Link>
      <Link to="/admin/record-store/keys" {...tab}>
        {say.keys}
      </Link>
    </Tabs>
  </>
)
