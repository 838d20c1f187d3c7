import { Link, Outlet } from '@tanstack/react-router'
import { PageHead } from '../../parts/page-head.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { adminWords } from '../words.ts'

const { store: say } = adminWords

/** The frame of the record store's pages: the title and the tabs. */
export const StoreFrame = () => (
  <>
    <PageHead title={say.title} lead={say.lead} />
    <Tabs label={say.tabs}>
      <Link to="/admin/record-store/statements" {...tab}>
        {say.statements}
      </Link>
      <Link to="/admin/record-store/keys" {...tab}>
        {say.keys}
      </Link>
    </Tabs>
    <Outlet />
  </>
)
