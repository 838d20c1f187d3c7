import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHere } from '../api/here.ts'
import { Loaded } from '../parts/states.tsx'
import { dropPending, endUnlessKeptBy } from './credentials.ts'
import { OperationList } from './operation-list.tsx'
import { reference } from './read.ts'
import classes from './reference.module.css'

/** Shows the list of operations beside the chosen one. The list stays mounted when another operation is chosen. */
export function ReferenceFrame() {
  const read = useQuery(reference())
  const who = useHere().person?.handle ?? null
  useEffect(() => {
    void endUnlessKeptBy(who)
  }, [who])
  useEffect(() => {
    dropPending()
    // After an abandoned sign-in, the Back button may restore this page from the browser's cache without mounting it
    // again, so delete the data of the sign-in then, too.
    const drop = ({ persisted }: PageTransitionEvent) => persisted && dropPending()
    addEventListener('pageshow', drop)
    return () => removeEventListener('pageshow', drop)
  }, [])
  return (
    <Loaded query={read} lines={8}>
      {(found) => (
        <div className={classes.page}>
          <OperationList reference={found} />
          <div>
            <Outlet />
          </div>
        </div>
      )}
    </Loaded>
  )
}
