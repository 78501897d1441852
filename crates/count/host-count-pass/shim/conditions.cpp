// Conditions of one `||` or `&&` that says whether something is in a range, made one branch before the optimiser.
//
//   first: br c1, T, second      second: br c2, T, E
//   =>
//   first: br (c1 | c2), rare, then      rare: add; br then      then: br (c1 | c2), T, E
//
// Without counting the optimiser does that itself if the second condition may be computed in vain. With counting, the paths
// to T differ in their additions, which keeps it from doing so, and every condition becomes a branch. Here all paths add the
// amount of the path to E, and the paths to T correct that in a block which finds out which of them it was. The rest of T and
// E may become a selection; if it does not, the optimiser makes one of the two branches.

#include "count.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

using namespace llvm;

namespace luthier {
namespace {

// Computed in vain, conditions must be cheap: so many instructions of unoptimised code each, so many conditions.
constexpr unsigned MostComputed = 10;
constexpr unsigned MostConditions = 6;
// Two branches for one are not worth the disturbance (bzip2 executes 4 % more).
constexpr unsigned LeastConditions = 3;

// The amount, if this is an addition of a constant whose result is not used.
std::optional<int64_t> constantAddition(const Instruction &instruction, Value *&address) {
  Value *to = additionTo(instruction);
  auto *amount = to ? dyn_cast<ConstantInt>(instruction.getOperand(1)) : nullptr;
  if (!amount || !instruction.use_empty() || (address && address != to))
    return std::nullopt;
  address = to;
  return amount->getSExtValue();
}

// A jump to a block, and the additions on it.
struct Way {
  BasicBlock *target;
  BasicBlock *between = nullptr; // a block of its own, which only adds
  int64_t amount = 0;
};

Way wayTo(BasicBlock *from, BasicBlock *successor, Value *&address) {
  Way direct = {successor};
  auto *jump = dyn_cast<BranchInst>(successor->getTerminator());
  if (!jump || jump->isConditional() || successor->getSinglePredecessor() != from || isa<PHINode>(successor->front()) ||
      jump->getSuccessor(0) == successor)
    return direct;
  Way way = {jump->getSuccessor(0), successor};
  Value *known = address;
  for (Instruction &instruction : *successor) {
    if (&instruction == jump)
      continue;
    auto amount = constantAddition(instruction, known);
    if (!amount)
      return direct;
    way.amount += *amount;
  }
  address = known;
  return way;
}

// A condition of the chain.
struct Link {
  BasicBlock *block;
  bool leavesIfTrue;
  Way leaving;
  int64_t own = 0; // what the block adds; the first block's stays where it is
};

class Chain {
public:
  explicit Chain(BasicBlock *first) : first(first) {}

  // The longest chain that begins here.
  bool find() {
    for (unsigned side : {0u, 1u}) {
      links.clear();
      address = nullptr;
      auto *branch = conditional(first);
      if (!branch)
        return false;
      Way leaving = wayTo(first, branch->getSuccessor(side), address);
      links.push_back({first, side == 0, leaving});
      rest = branch->getSuccessor(1 - side);
      while (links.size() < MostConditions && extend())
        ;
      if (links.size() >= LeastConditions && rest != links.front().leaving.target && hasRange() && sameThere())
        return true;
    }
    return false;
  }

  void merge() {
    Instruction *end = first->getTerminator();
    IRBuilder<> builder(end);
    SmallVector<Value *, 4> leaves;
    int64_t usual = 0;
    for (Link &link : links) {
      auto *branch = cast<BranchInst>(link.block->getTerminator());
      usual += link.own;
      for (Instruction &instruction : make_early_inc_range(*link.block)) {
        if (link.block == first || &instruction == branch)
          continue;
        if (additionTo(instruction)) {
          instruction.eraseFromParent();
          continue;
        }
        instruction.dropUBImplyingAttrsAndMetadata();
        instruction.moveBefore(end->getIterator());
      }
      Value *leave = branch->getCondition();
      // Computed in vain, it may be nothing at all.
      leave = builder.CreateFreeze(leave);
      leaves.push_back(link.leavesIfTrue ? leave : builder.CreateNot(leave));
    }
    usual += takeFromRest();
    if (usual)
      add(builder, builder.getInt64(usual));
    SmallVector<Value *, 4> groups = byVariable(builder, leaves);
    Value *any = either(builder, groups);

    BasicBlock *target = links.front().leaving.target, *last = links.back().block;
    int64_t paid = 0;
    SmallVector<int64_t, 4> amounts;
    for (Link &link : links)
      amounts.push_back((paid += link.own) + link.leaving.amount - usual);
    BasicBlock *then = first;
    if (any_of(amounts, [](int64_t amount) { return amount != 0; })) {
      auto fresh = [&] { return BasicBlock::Create(first->getContext(), "", first->getParent(), links[1].block); };
      BasicBlock *rare = fresh();
      then = fresh();
      builder.CreateCondBr(any, rare, then, MDBuilder(first->getContext()).createBranchWeights(1, 20));
      builder.SetInsertPoint(rare);
      builder.SetCurrentDebugLocation(end->getDebugLoc());
      Value *amount = builder.getInt64(amounts.back());
      for (size_t index = links.size() - 1; index-- > 0;)
        amount = builder.CreateSelect(leaves[index], builder.getInt64(amounts[index]), amount);
      add(builder, amount)->setMetadata(RareMetadata, MDNode::get(first->getContext(), {}));
      builder.CreateBr(then);
      builder.SetInsertPoint(then);
      // The condition is written differently. Otherwise the two branches would be merged before one becomes a selection.
      std::reverse(groups.begin(), groups.end());
      any = either(builder, groups);
    }
    builder.CreateCondBr(any, target, rest);

    for (PHINode &phi : target->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(arrivesFrom(links.front())), then);
    for (Link &link : links)
      target->removePredecessor(arrivesFrom(link), true);
    for (PHINode &phi : rest->phis())
      phi.setIncomingBlock(phi.getBasicBlockIndex(last), then);
    end->eraseFromParent();
    // Nothing leads to these any more.
    for (Link &link : links) {
      if (link.block != first)
        unlink(link.block);
      if (link.leaving.between)
        unlink(link.leaving.between);
    }
  }

private:
  BasicBlock *first;
  BasicBlock *rest = nullptr; // where the chain leads if no condition leaves it
  SmallVector<Link, 4> links;
  Value *address = nullptr;

  static BranchInst *conditional(BasicBlock *block) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    bool forks = branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
    return forks ? branch : nullptr;
  }

  static BasicBlock *arrivesFrom(const Link &link) { return link.leaving.between ? link.leaving.between : link.block; }

  // The variable that a condition compares with a bound, in unoptimised code: an object and an offset in it.
  using Place = std::pair<Value *, int64_t>;
  static Place bounded(const Link &link) {
    auto *test = dyn_cast<ICmpInst>(cast<BranchInst>(link.block->getTerminator())->getCondition());
    auto *load = test && test->isRelational() && isa<ConstantInt>(test->getOperand(1)) ? dyn_cast<LoadInst>(test->getOperand(0)) : nullptr;
    Place place = {nullptr, 0};
    if (load)
      place.first = GetPointerBaseWithConstantOffset(load->getPointerOperand(), place.second, link.block->getDataLayout());
    return place;
  }

  // Returns true if a value has two bounds. Other conditions stay as they are: computing them in vain costs more than it saves,
  // or they will be known anyway.
  bool hasRange() const {
    SmallVector<Place, 4> seen;
    for (const Link &link : links) {
      Place place = bounded(link);
      if (place.first && is_contained(seen, place))
        return true;
      seen.push_back(place);
    }
    return false;
  }

  static Value *either(IRBuilder<> &builder, ArrayRef<Value *> conditions) {
    Value *any = conditions.back();
    for (Value *condition : drop_begin(reverse(conditions)))
      any = builder.CreateLogicalOr(condition, any);
    return any;
  }

  // Conditions on one variable together: two bounds are one comparison.
  SmallVector<Value *, 4> byVariable(IRBuilder<> &builder, ArrayRef<Value *> conditions) {
    SmallVector<std::pair<Place, Value *>, 4> groups;
    for (size_t index = 0; index < links.size(); ++index) {
      Place variable = bounded(links[index]);
      if (!variable.first)
        variable.first = conditions[index];
      auto known = find_if(groups, [&](auto &group) { return group.first == variable; });
      if (known == groups.end())
        groups.push_back({variable, conditions[index]});
      else
        known->second = builder.CreateOr(known->second, conditions[index]);
    }
    SmallVector<Value *, 4> values;
    for (auto &group : groups)
      values.push_back(group.second);
    return values;
  }

  // An amount that the usual path adds right behind the chain can be added in front of it as well.
  int64_t takeFromRest() {
    int64_t sum = 0;
    if (!rest->getSinglePredecessor())
      return 0;
    for (Instruction &instruction : make_early_inc_range(*rest)) {
      if (auto amount = constantAddition(instruction, address)) {
        sum += *amount;
        instruction.eraseFromParent();
      } else if (isa<CallBase>(instruction) || additionTo(instruction)) {
        break;
      }
    }
    return sum;
  }

  // One more condition, if the rest begins with one.
  bool extend() {
    BranchInst *branch = conditional(rest);
    if (!branch || rest == first || rest->getSinglePredecessor() != links.back().block || isa<PHINode>(rest->front()))
      return false;
    Value *known = address;
    Link link = {rest, false, {nullptr}};
    unsigned computed = 0;
    for (Instruction &instruction : *rest) {
      if (&instruction == branch)
        continue;
      if (auto amount = constantAddition(instruction, known)) {
        link.own += *amount;
        continue;
      }
      if (++computed > MostComputed || !isSafeToSpeculativelyExecute(&instruction) || isa<CallBase>(instruction))
        return false;
    }
    for (unsigned side : {0u, 1u}) {
      Value *here = known;
      Way way = wayTo(rest, branch->getSuccessor(side), here);
      Way other = wayTo(rest, branch->getSuccessor(1 - side), here);
      if (way.target != links.front().leaving.target || other.target == way.target)
        continue;
      link.leaving = way;
      link.leavesIfTrue = side == 0;
      address = here;
      links.push_back(link);
      rest = branch->getSuccessor(1 - side);
      return true;
    }
    return false;
  }

  // Whichever condition leaves, the target sees the same values. (Values of the links themselves would do, too.)
  bool sameThere() {
    for (PHINode &phi : links.front().leaving.target->phis())
      for (Link &link : links)
        if (phi.getIncomingValueForBlock(arrivesFrom(link)) != phi.getIncomingValueForBlock(arrivesFrom(links.front())))
          return false;
    return address != nullptr;
  }

  AtomicRMWInst *add(IRBuilder<> &builder, Value *amount) {
    return builder.CreateAtomicRMW(AtomicRMWInst::Add, address, amount, Align(8), AtomicOrdering::Monotonic, SyncScope::SingleThread);
  }

  static void unlink(BasicBlock *block) {
    block->dropAllReferences();
    block->eraseFromParent();
  }
};

} // namespace

bool mergeConditions(Function &function) {
  bool changed = false;
  for (auto block = function.begin(); block != function.end();) {
    Chain chain(&*block);
    if (chain.find()) {
      chain.merge();
      changed = true;
    } else {
      ++block;
    }
  }
  return changed;
}

} // namespace luthier
