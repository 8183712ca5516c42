// What clients name of two libraries that NuGet alone has, and use only when they are set up to.

using System;
using System.Threading.Tasks;

namespace JsonSubTypes
{
    public class JsonSubtypes : Attribute { }
}

namespace Polly
{
    public enum OutcomeType { Successful, Failure }

    public class PolicyResult<Answer>
    {
        public OutcomeType Outcome;
        public Answer Result;
        public Exception FinalException;
    }

    public interface ISyncPolicy<Result>
    {
        PolicyResult<Result> ExecuteAndCapture(Func<Result> attempt);
    }

    public interface IAsyncPolicy<Result>
    {
        Task<PolicyResult<Result>> ExecuteAndCaptureAsync(Func<Task<Result>> attempt);
    }
}
